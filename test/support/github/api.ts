// GitHub's REST API over a real bare repository. What the description leaves open is strict here: unknown keys, lengths, lines in hunks,
// one's own pull request, one open pull request for a branch, labels without the right to push.
import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto'
import { buildAnswer, type Call, checkRequest, findCall } from './description.ts'
import { type BedMerge, mergePull } from './merge.ts'
import type { BedDelivery, BedItem, BedSetup, BedState, BedToken, Person } from './state.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly authorization: string | undefined
  readonly etag: string | undefined
  readonly origin: string
}

class Refused extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

const MAX_BODY = 65_536

export function createApi(setup: BedSetup, onDelivery?: (delivery: BedDelivery) => void) {
  const state: BedState = {
    items: [],
    comments: [],
    reactions: [],
    deliveries: [],
    reviewComments: [],
    reviews: [],
    statuses: [],
    checkRuns: [],
    requests: [],
    problems: [],
    credentials: [],
    alerts: [],
  }
  const noteCredential = (credential: string): void => {
    if (credential !== '' && !state.credentials.includes(credential)) state.credentials.push(credential)
  }
  const issued = new Map<string, BedToken>(setup.tokens.map((each) => [each.token, each]))
  let lastId = 100
  let lastTime = 0
  const nextId = (): number => ++lastId
  const now = (): string => {
    lastTime = Math.max(lastTime + 1000, Date.now() - (Date.now() % 1000))
    return new Date(lastTime).toISOString().replace('.000', '')
  }
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', setup.bare, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  const commitOf = (name: string): string | undefined => {
    try {
      return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)
    } catch {
      return undefined
    }
  }

  function who(authorization: string | undefined): BedToken | undefined {
    const [, token = ''] = /^(?:token|bearer) (.+)$/i.exec(authorization ?? '') ?? []
    noteCredential(token)
    return issued.get(token)
  }

  function assertApp(authorization: string | undefined): void {
    const [, jwt = ''] = /^bearer (.+)$/i.exec(authorization ?? '') ?? []
    const [head = '', claims = '', signature = ''] = jwt.split('.')
    const { app } = setup
    const isSigned =
      app &&
      signature !== '' &&
      verify(
        'sha256',
        Buffer.from(`${head}.${claims}`),
        createPublicKey(app.publicKey),
        Buffer.from(signature, 'base64url'),
      )
    const { iss, exp, iat } = isSigned ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : {}
    if (!app || `${iss}` !== `${app.id}` || exp - iat > 660)
      throw new Refused(401, 'A JSON web token could not be decoded')
  }

  const person = ({ login, id }: Person) => ({ login, id, type: login.endsWith('[bot]') ? 'Bot' : 'User' })
  const full = `${setup.owner}/${setup.name}`

  const toApp = (name: string, owner: Person) => {
    const at = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
    const page = `https://forge.example/apps/${name}`
    const about = { id: 6, slug: name, node_id: '', name, description: null, external_url: page, html_url: page }
    return { ...about, ...at, owner: person(owner), permissions: {}, events: [] }
  }

  function toIssue(item: BedItem, origin: string) {
    return {
      number: item.number,
      id: item.number,
      title: item.title,
      body: item.body,
      state: item.state,
      state_reason: item.state_reason,
      user: person(item.user),
      labels: item.labels.map((name) => ({ name })),
      created_at: item.created_at,
      updated_at: item.updated_at,
      html_url: `${origin}/${full}/${item.pull ? 'pull' : 'issues'}/${item.number}`,
      closed_at: null,
      milestone: null,
      comments: state.comments.filter(({ issue }) => issue === item.number).length,
      ...(item.pull ? { pull_request: {} } : {}),
    }
  }

  function headOf(item: BedItem): string {
    return (item.state === 'open' ? commitOf(`refs/heads/${item.pull!.head}`) : undefined) ?? item.pull!.sha
  }

  function toPull(item: BedItem, origin: string) {
    const pull = item.pull!
    return {
      ...toIssue(item, origin),
      labels: [],
      draft: pull.draft,
      merged: pull.merged,
      merged_at: pull.merged ? item.updated_at : null,
      merge_commit_sha: pull.mergeCommit ?? null,
      closed_at: null,
      head: {
        ref: pull.head,
        sha: headOf(item),
        label: `${setup.owner}:${pull.head}`,
        repo: { full_name: pull.fork ?? full },
      },
      base: { ref: pull.base, sha: commitOf(`refs/heads/${pull.base}`) ?? '', repo: { full_name: full } },
    }
  }

  function find(number: string | undefined, isPull = false): BedItem {
    const found = state.items.find((item) => item.number === Number(number) && (!isPull || item.pull))
    if (!found) throw new Refused(404, 'Not Found')
    return found
  }

  function findComment(id: string | undefined): BedState['comments'][number] {
    const found = state.comments.find((each) => each.id === Number(id))
    if (!found) throw new Refused(404, 'Not Found')
    return found
  }

  function create(user: Person, values: Pick<BedItem, 'title' | 'body' | 'labels'>, pull?: BedItem['pull']): BedItem {
    const at = now()
    const number = Math.max(0, ...state.items.map((item) => item.number)) + 1
    const item: BedItem = {
      number,
      user,
      ...values,
      state: 'open',
      state_reason: null,
      created_at: at,
      updated_at: at,
      edits: 0,
      ...(pull ? { pull } : {}),
    }
    state.items.push(item)
    return item
  }

  /** The lines of each side that a comment may stand on. */
  function commentable(item: BedItem, path: string, side: string): ReadonlySet<number> {
    const parted = git('merge-base', `refs/heads/${item.pull!.base}`, headOf(item))
    const diff = git('-c', 'core.quotePath=false', 'diff', '--no-color', '-U3', '-M', parted, headOf(item))
    const found = new Set<number>()
    let [file, left, right] = ['', 0, 0]
    for (const line of diff.split('\n')) {
      const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
      if (line.startsWith('diff --git ')) [file, left, right] = ['', 0, 0]
      else if (left + right === 0 && /^(\+\+\+ b|--- a)\//.test(line)) file = line.slice(6)
      else if (hunk) [left, right] = [Number(hunk[1]) - 1, Number(hunk[2]) - 1]
      else if (left + right > 0 || file !== '') {
        if (line.startsWith('-') || line.startsWith(' ')) left += 1
        if (line.startsWith('+') || line.startsWith(' ')) right += 1
        if (file !== path) continue
        if (side === 'LEFT' && !line.startsWith('+')) found.add(left)
        if (side === 'RIGHT' && !line.startsWith('-')) found.add(right)
      }
    }
    return found
  }

  function page<T>(
    call: Call,
    all: readonly T[],
    { query, origin, path }: Request,
  ): { readonly items: readonly T[]; readonly headers: Record<string, string> } {
    const size = Number(query.get('per_page') ?? 30)
    const number = Number(query.get('page') ?? 1)
    const next = new URLSearchParams(query)
    next.set('page', `${number + 1}`)
    const more = all.length > number * size
    void call
    return {
      items: all.slice((number - 1) * size, number * size),
      headers: more ? { link: `<${origin}/api/v3${path}?${next}>; rel="next"` } : {},
    }
  }

  const text = (value: unknown, most = MAX_BODY, what = 'body'): string => {
    if (`${value ?? ''}`.length > most)
      throw new Refused(422, `Validation Failed: ${what} is too long (maximum is ${most} characters)`)
    return `${value ?? ''}`
  }

  function run(call: Call, request: Request, user: BedToken): Answer {
    const { query, origin } = request
    const body = (request.body ?? {}) as Record<string, never>
    const { path } = call
    const mayPush = user.push !== false
    const list = <T>(all: readonly T[], show: (each: T) => unknown): Answer => {
      const { items, headers } = page(call, all, request)
      return { status: 200, body: items.map(show), headers }
    }
    const assertWriter = (): void => {
      if (user.contents !== 'write') {
        throw new Refused(403, 'Resource not accessible by personal access token', {
          'x-accepted-github-permissions': `${call.id.startsWith('issues') ? 'issues' : call.id.startsWith('repos') ? 'statuses' : 'pull_requests'}=write`,
        })
      }
    }
    const comment = (each: BedState['comments'][number]) => ({
      id: each.id,
      body: each.body,
      user: person(each.user),
      html_url: `${origin}/${full}/issues/${each.issue}#issuecomment-${each.id}`,
      issue_url: `${origin}/api/v3/repos/${full}/issues/${each.issue}`,
      created_at: each.created_at,
      updated_at: each.updated_at,
      performed_via_github_app: each.via === undefined ? null : toApp(each.via, each.user),
    })
    const reviewComment = (each: BedState['reviewComments'][number]) => ({
      ...each,
      user: person(each.user),
      pull_request_review_id: each.review,
      original_line: each.line,
    })
    switch (call.id) {
      case 'users/get-authenticated':
        if (user.kind === 'installation') throw new Refused(403, 'Resource not accessible by integration')
        return { status: 200, body: { ...person(user), user_view_type: 'private' } }
      case 'rate-limit/get': {
        const rate = { limit: 5000, used: 12, remaining: 4988, reset: 1_800_000_000 }
        return { status: 200, body: { rate, resources: { core: rate, search: rate } } }
      }
      case 'repos/get':
        return {
          status: 200,
          body: {
            name: setup.name,
            full_name: full,
            owner: { login: setup.owner },
            default_branch: git('symbolic-ref', '--short', 'HEAD'),
            private: true,
            html_url: `${origin}/${full}`,
            has_issues: true,
            permissions: { admin: false, pull: true, push: mayPush && user.contents === 'write' },
            license: null,
            parent: undefined,
          },
        }
      case 'pulls/list': {
        const wanted = query.get('state') ?? 'open'
        const head = query.get('head')
        const all = state.items.filter(
          (item) =>
            item.pull &&
            (wanted === 'all' || item.state === wanted) &&
            (!head || head === `${setup.owner}:${item.pull.head}`),
        )
        return list(all.reverse(), (item) => toPull(item, origin))
      }
      case 'pulls/create': {
        assertWriter()
        const [, branch = ''] = /^(?:[^:]+:)?(.+)$/.exec(`${body.head}`) ?? []
        const sha = commitOf(`refs/heads/${branch}`)
        if (!sha || !commitOf(`refs/heads/${body.base}`))
          throw new Refused(422, `Validation Failed: field ${sha ? 'base' : 'head'} is invalid`)
        if (
          state.items.some(
            (item) => item.state === 'open' && item.pull?.head === branch && item.pull.base === body.base,
          )
        ) {
          throw new Refused(422, `Validation Failed: A pull request already exists for ${setup.owner}:${branch}.`)
        }
        if (git('rev-list', '--count', `${body.base}..${sha}`) === '0')
          throw new Refused(422, `Validation Failed: No commits between ${body.base} and ${branch}`)
        const made = create(
          user,
          { title: text(body.title, 256, 'title'), body: text(body.body), labels: [] },
          { head: branch, base: body.base ?? '', draft: body.draft === true, merged: false, sha },
        )
        return { status: 201, body: toPull(made, origin) }
      }
      case 'pulls/get':
        return { status: 200, body: toPull(find(path.pull_number, true), origin) }
      case 'pulls/update': {
        assertWriter()
        const item = find(path.pull_number, true)
        edit(item, body)
        return { status: 200, body: toPull(item, origin) }
      }
      case 'issues/list-for-repo': {
        const wanted = query.get('state') ?? 'open'
        const [creator, since] = [query.get('creator'), query.get('since')]
        const labels = (query.get('labels') ?? '').split(',').filter((label) => label !== '')
        const all = state.items
          .filter((item) => wanted === 'all' || item.state === wanted)
          .filter((item) => labels.every((label) => item.labels.includes(label)))
          .filter((item) => (!creator || item.user.login === creator) && (!since || item.updated_at >= since))
          .sort((a, b) => b.number - a.number)
        return list(query.get('direction') === 'asc' ? all.reverse() : all, (item) => toIssue(item, origin))
      }
      case 'issues/create': {
        assertWriter()
        const labels = mayPush ? ((body.labels ?? []) as readonly string[]) : []
        return {
          status: 201,
          body: toIssue(create(user, { title: text(body.title, 256, 'title'), body: text(body.body), labels }), origin),
        }
      }
      case 'issues/get':
        return { status: 200, body: toIssue(find(path.issue_number), origin) }
      case 'issues/update': {
        assertWriter()
        const item = find(path.issue_number)
        edit(item, body)
        return { status: 200, body: toIssue(item, origin) }
      }
      case 'issues/list-comments':
        return list(
          state.comments
            .filter(({ issue }) => issue === find(path.issue_number).number)
            .filter(({ updated_at }) => updated_at >= (query.get('since') ?? '')),
          comment,
        )
      case 'issues/get-comment':
        return { status: 200, body: comment(findComment(path.comment_id)) }
      case 'reactions/create-for-issue-comment': {
        const { id } = findComment(path.comment_id)
        const content = `${body.content}`
        const known = state.reactions.find(
          (each) => each.comment === id && each.content === content && each.user.login === user.login,
        )
        const made = known ?? { id: nextId(), comment: id, user, content }
        if (!known) state.reactions.push(made)
        return { status: known ? 200 : 201, body: { ...made, user: person(user), created_at: now() } }
      }
      case 'repos/get-collaborator-permission-level': {
        assertWriter()
        const of = [...issued.values()].find(({ login }) => login === path.username)
        if (!of) throw new Refused(404, `${path.username} is not a user`)
        const permission = of.role ?? (of.push === false ? 'read' : 'write')
        return { status: 200, body: { permission, role_name: permission, user: null } }
      }
      case 'issues/create-comment': {
        assertWriter()
        const item = find(path.issue_number)
        const at = now()
        const made = {
          ...{ id: nextId(), issue: item.number, user, via: user.via, body: text(body.body), edits: 0 },
          ...{ created_at: at, updated_at: at },
        }
        state.comments.push(made)
        item.updated_at = at
        announce('issue_comment', {
          ...{ action: 'created', issue: toIssue(item, origin), comment: comment(made) },
          ...{ repository: { full_name: full }, sender: { login: user.login } },
        })
        return { status: 201, body: comment(made) }
      }
      case 'issues/update-comment': {
        const found = findComment(path.comment_id)
        if (found.user.login !== user.login) throw new Refused(403, 'Must have admin rights to Repository.')
        found.body = text(body.body)
        found.edits += 1
        found.updated_at = now()
        find(`${found.issue}`).updated_at = found.updated_at
        return { status: 200, body: comment(found) }
      }
      case 'issues/delete-comment': {
        const at = state.comments.findIndex(({ id }) => id === Number(path.comment_id))
        if (at < 0) throw new Refused(404, 'Not Found')
        state.comments.splice(at, 1)
        return { status: 204, body: undefined }
      }
      case 'code-scanning/list-alerts-for-repo':
        return list(state.alerts, (each) => each)
      case 'pulls/dismiss-review': {
        assertWriter()
        const found = state.reviews.find(({ id }) => id === Number(path.review_id))
        if (!found) throw new Refused(404, 'Not Found')
        if (found.event !== 'APPROVE') throw new Refused(422, 'Can not dismiss a commented pull request review')
        found.event = 'DISMISSED'
        return { status: 200, body: { ...found, user: person(found.user), state: 'DISMISSED', submitted_at: now() } }
      }
      case 'pulls/list-review-comments':
        return list(
          state.reviewComments.filter(({ pull }) => pull === find(path.pull_number, true).number),
          reviewComment,
        )
      case 'pulls/list-reviews':
        return list(
          state.reviews.filter(({ pull }) => pull === find(path.pull_number, true).number),
          (each) => ({
            ...each,
            user: person(each.user),
            state: { APPROVE: 'APPROVED', DISMISSED: 'DISMISSED' }[each.event] ?? 'COMMENTED',
            submitted_at: now(),
          }),
        )
      case 'pulls/create-review': {
        assertWriter()
        const item = find(path.pull_number, true)
        const event = `${body.event ?? 'PENDING'}`
        if (event === 'APPROVE' && item.user.login === user.login)
          throw new Refused(422, 'Can not approve your own pull request')
        if (event === 'COMMENT' && `${body.body ?? ''}` === '') throw new Refused(422, 'Unprocessable Entity: body')
        const comments = (body.comments ?? []) as readonly {
          readonly path: string
          readonly line?: number
          readonly side?: string
          readonly start_line?: number
          readonly start_side?: string
          readonly body: string
          readonly position?: number
        }[]
        for (const each of comments) {
          const allowed = commentable(item, each.path, each.side ?? 'RIGHT')
          // GitHub does not say which one it is.
          if (!['LEFT', 'RIGHT'].includes(each.side ?? 'RIGHT') || each.line === undefined || !allowed.has(each.line))
            throw new Refused(422, 'Unprocessable Entity: Line could not be resolved')
          const { start_line: start } = each
          if (start !== undefined && (start >= each.line || !allowed.has(start) || each.start_side !== each.side))
            throw new Refused(422, 'Unprocessable Entity: start_line must be part of the same hunk as the line.')
          text(each.body)
        }
        const review = {
          id: nextId(),
          pull: item.number,
          user,
          body: text(body.body),
          event,
          commit_id: `${body.commit_id ?? headOf(item)}`,
        }
        state.reviews.push(review)
        for (const each of comments) {
          state.reviewComments.push({
            id: nextId(),
            pull: item.number,
            review: review.id,
            user,
            path: each.path,
            line: each.line ?? 0,
            start_line: each.start_line ?? null,
            side: each.side ?? 'RIGHT',
            commit_id: review.commit_id,
            body: each.body,
          })
        }
        return { status: 200, body: { ...review, user: person(user), state: 'COMMENTED', submitted_at: now() } }
      }
      case 'repos/create-commit-status': {
        assertWriter()
        if (!commitOf(path.sha ?? '')) throw new Refused(422, `No commit found for SHA: ${path.sha}`)
        const made = {
          id: nextId(),
          sha: path.sha ?? '',
          state: `${body.state}`,
          context: text(body.context ?? 'default', 255, 'context'),
          description: text(body.description, 140, 'description'),
          user,
        }
        state.statuses.push(made)
        return { status: 201, body: { ...made, creator: person(user), target_url: null } }
      }
      case 'repos/list-commit-statuses-for-ref':
        return list(state.statuses.filter(({ sha }) => sha === commitOf(path.ref ?? '')).reverse(), (each) => ({
          ...each,
          creator: person(each.user),
          target_url: null,
        }))
      case 'checks/create': {
        if (user.kind !== 'installation') throw new Refused(403, 'You must authenticate via a GitHub App.')
        if (!commitOf(`${body.head_sha}`)) throw new Refused(422, `No commit found for SHA: ${body.head_sha}`)
        const output = (body.output ?? {}) as { readonly title?: string; readonly summary?: string }
        text(output.summary, 65_535, 'summary')
        const made = {
          id: nextId(),
          head_sha: `${body.head_sha}`,
          name: `${body.name}`,
          conclusion: `${body.conclusion}`,
          title: output.title ?? '',
          external_id: `${body.external_id ?? ''}`,
        }
        state.checkRuns.push(made)
        return { status: 201, body: checkRun(made) }
      }
      case 'checks/list-for-ref': {
        const name = query.get('check_name')
        const all = state.checkRuns.filter(
          (each) => each.head_sha === commitOf(path.ref ?? '') && (!name || each.name === name),
        )
        return {
          status: 200,
          body: { total_count: all.length, check_runs: page(call, all, request).items.map(checkRun) },
        }
      }
      default:
        throw new Error(`the test bed does not do ${call.id} yet`)
    }
  }

  function checkRun(each: BedState['checkRuns'][number]) {
    return {
      ...each,
      status: 'completed',
      output: { title: each.title, summary: '', text: null, annotations_count: 0, annotations_url: '' },
      app: null,
      check_suite: null,
      pull_requests: [],
    }
  }

  function edit(item: BedItem, body: Record<string, unknown>): void {
    if (body.title !== undefined) item.title = text(body.title, 256, 'title')
    if (body.body !== undefined) item.body = text(body.body)
    if (item.pull && body.fork !== undefined) item.pull.fork = text(body.fork)
    if (item.pull && (body.merge !== undefined || body.state === 'closed')) item.pull.sha = headOf(item)
    if (item.pull && body.merge !== undefined) {
      item.pull.mergeCommit = mergePull(setup.bare, item, body as unknown as BedMerge)
      item.pull.merged = true
      item.state = 'closed'
    }
    if (body.state !== undefined) item.state = body.state as BedItem['state']
    if (body.state_reason !== undefined) item.state_reason = body.state_reason as string
    item.updated_at = now()
    item.edits += 1
    if (!item.pull) return
    const action = body.merge !== undefined || body.state === 'closed' ? 'closed' : 'edited'
    announce('pull_request', { action, number: item.number, repository: { full_name: full } })
  }

  /** Whoever is to be told hears of it in a moment. */
  function announce(event: string, payload: object): void {
    const delivery = { id: randomUUID(), event, payload, statuses: [] }
    state.deliveries.push(delivery)
    onDelivery?.(delivery)
  }

  function runApp(call: Call, { authorization }: Request): Answer {
    assertApp(authorization)
    const { app } = setup
    if (!app) throw new Refused(404, 'Not Found')
    if (call.id === 'apps/get-authenticated')
      return { status: 200, body: { id: app.id, slug: app.slug, name: app.slug, owner: person(app.bot) } }
    if (call.id === 'apps/get-repo-installation')
      return {
        status: 200,
        body: { id: app.installation, app_id: app.id, app_slug: app.slug, account: person(app.bot) },
      }
    if (Number(call.path.installation_id) !== app.installation) throw new Refused(404, 'Not Found')
    const token = `ghs_${randomBytes(18).toString('hex')}`
    noteCredential(token)
    issued.set(token, { ...app.bot, token, kind: 'installation', contents: 'write' })
    return { status: 201, body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions: {} } }
  }

  function answer(request: Request): Answer {
    const call = findCall(request.method, request.path)
    if (!call) return { status: 404, body: { message: 'Not Found' } }
    try {
      const isApp = [
        'apps/get-authenticated',
        'apps/get-repo-installation',
        'apps/create-installation-access-token',
      ].includes(call.id)
      const user = who(request.authorization)
      if (!isApp && !user) throw new Refused(401, 'Bad credentials')
      const { owner, repo } = call.path
      if (owner !== undefined && (owner.toLowerCase() !== setup.owner || repo?.toLowerCase() !== setup.name))
        throw new Refused(404, 'Not Found')
      const problems = checkRequest(call, request.query, request.body)
      if (problems.length > 0) {
        state.problems.push(...problems.map((problem) => `${call.id}: ${problem}`))
        throw new Refused(422, `Validation Failed: ${problems.join('; ')}`)
      }
      const done = isApp ? runApp(call, request) : run(call, request, user!)
      const body = buildAnswer(call, done.status, done.body)
      const etag = `"${createHash('sha256')
        .update(JSON.stringify(body) ?? '')
        .digest('hex')
        .slice(0, 32)}"`
      if (request.method === 'GET' && request.etag === etag) return { status: 304, body: undefined, headers: { etag } }
      return { status: done.status, body, headers: { etag, ...done.headers } }
    } catch (error) {
      if (error instanceof Refused)
        return { status: error.status, body: { message: error.message }, headers: error.headers }
      state.problems.push(`${call.id}: ${(error as Error).stack}`)
      return { status: 500, body: { message: (error as Error).message } }
    }
  }

  /** As if nothing had been posted or pushed. What a token hunt looks for stays. */
  function reset(): void {
    for (const each of Object.values({ ...state, credentials: [] })) each.length = 0
    const kept = git('symbolic-ref', '--short', 'HEAD')
    const branches = git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
    for (const branch of branches.filter((name) => name !== kept)) git('branch', '-qD', branch)
  }

  /** As a person on the web does; whoever has the right may edit what another wrote. */
  function editComment(id: number, body: string): void {
    const found = findComment(`${id}`)
    found.body = body
    found.updated_at = now()
  }

  function setRole(login: string, role: BedToken['role']): void {
    for (const each of issued.values()) if (each.login === login) each.role = role ?? 'none'
  }

  return { state, answer, who, reset, commitOf, find, edit, editComment, setRole }
}
