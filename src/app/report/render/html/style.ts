// The look of the page, in one text: the page's policy allows this style alone, by its hash.
import { createHash } from 'node:crypto'

export const STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --dim: #59636e; --page: #fff; --box: #f6f8fa; --line: #d1d9e0; --link: #0969da;
  --good: #1a7f37; --bad: #d1242f; --doubt: #9a6700; --old: #ffebe9; --new: #dafbe1 }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --dim: #9198a1; --page: #0d1117; --box: #161b22; --line: #3d444d; --link: #4493f8;
  --good: #3fb950; --bad: #f85149; --doubt: #d29922; --old: #3c1618; --new: #12361d } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 0 auto; padding: 1rem; color: var(--text); background: var(--page) }
h1 { font-size: 1.5rem; margin: .5rem 0 } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line) }
p, li, summary, a { overflow-wrap: anywhere } a { color: var(--link) } ul { padding-left: 1.2rem }
code, pre { font: 13px/1.45 ui-monospace, monospace; background: var(--box) } code { padding: .1rem .3rem; overflow-wrap: anywhere }
pre { padding: .8rem; white-space: pre-wrap; overflow-wrap: anywhere } summary { cursor: pointer }
.doubt { border-left: 4px solid var(--doubt); padding: .1rem 1rem; background: var(--box) }
.finding { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem }
.finding > div { scroll-margin-top: 3rem } .finding > summary b { white-space: nowrap }
.state { white-space: nowrap; font-weight: 600; color: var(--dim) } .dim { color: var(--dim) }
.state.fixed { color: var(--good) } .state.failed { color: var(--bad) } .state.unproven { color: var(--doubt) }
.diff { font: 12px/1.45 ui-monospace, monospace; border: 1px solid var(--line); margin: .5rem 0 }
.diff h4 { font: inherit; font-weight: 600; margin: 0; padding: .3rem .5rem; background: var(--box); overflow-wrap: anywhere }
.diff div { display: grid; grid-template-columns: 1fr 1fr } .diff p { margin: 0; padding: 0 .5rem; color: var(--dim); background: var(--box) }
.diff ins, .diff del, .diff span { text-decoration: none; white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 .3rem 0 4.2rem; text-indent: -4.2rem; min-width: 0 }
.diff i { display: inline-block; width: 3.5rem; margin-right: .7rem; text-indent: 0; text-align: right; font-style: normal; color: var(--dim); user-select: none }
.diff ins { background: var(--new) } .diff del { background: var(--old) } .diff .none { background: var(--box) }
@media (max-width: 50rem) { .diff div { grid-template-columns: 1fr } .diff .twin, .diff .none { display: none } }
`

export const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`
