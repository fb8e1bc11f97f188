export { SHORT_FLAGS } from '../../runtime/settings/flags.ts'
