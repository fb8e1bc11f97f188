/** A product as it is shown in the catalog. Names come from suppliers, so they may hold anything. */
export function productCard(product) {
  return `<article title="${product.name}"><h2>${product.name}</h2><p>${product.price}</p></article>`
}
