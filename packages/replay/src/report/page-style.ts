/** Colours are variables, so that dark mode needs no second style sheet. A printed page is always light. */
export const PAGE_STYLE = `
:root {
  color-scheme: light;
  --paper: #ffffff; --shade: #1a1f270a; --ink: #1a1f27; --soft: #525c6b; --faint: #d9dee5; --grid: #e8ebef;
  --accent: #1d4fc4; --accent-soft: #e7eefc; --heat: #d9650b; --edge: #1a1f2752;
  --input: #1e3a8a; --input-ink: #ffffff; --cachewrite: #3570d8; --cachewrite-ink: #ffffff;
  --cachedinput: #bcd3f7; --cachedinput-ink: #16233b; --output: #0f766e; --output-ink: #ffffff;
  --memory: #f2b134; --memory-ink: #2b1d00;
  --policy-1: #1d4fc4; --policy-2: #b4470c; --policy-3: #14743a; --policy-4: #7a2fc9; --policy-5: #b3155d;
  --policy-6: #0b6e78; --policy-7: #7d5206; --policy-8: #3d4a5c; --baseline: #697384;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    color-scheme: dark;
    --paper: #13161b; --shade: #e8ebf009; --ink: #e8ebf0; --soft: #a6b0bf; --faint: #353d49; --grid: #262c35;
    --accent: #86adff; --accent-soft: #1b2a4a; --heat: #f08a3c; --edge: #e8ebf04d;
    --input: #4c7dea; --input-ink: #081127; --cachewrite: #93b6fb; --cachewrite-ink: #0a1530;
    --cachedinput: #37507f; --cachedinput-ink: #f2f5fc; --output: #35b3a6; --output-ink: #04201d;
    --memory: #e0a12a; --memory-ink: #231700;
    --policy-1: #86adff; --policy-2: #f79a63; --policy-3: #63cc8b; --policy-4: #c39bff; --policy-5: #ff8fbd;
    --policy-6: #56c8d4; --policy-7: #dcb35c; --policy-8: #b7c2d2; --baseline: #8d98a8;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "PingFang SC",
    "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
  font-variant-numeric: tabular-nums; text-rendering: optimizeLegibility; overflow-wrap: break-word;
}
main { max-width: 1040px; margin: 0 auto; padding: 56px 40px 72px; }
h1 { font-size: 34px; line-height: 1.22; letter-spacing: -0.015em; font-weight: 650; margin: 0 0 16px; text-wrap: balance; }
h2 { font-size: 21px; line-height: 1.3; letter-spacing: -0.008em; font-weight: 650; margin: 0 0 6px; }
h3 { font-size: 15px; font-weight: 600; margin: 0; }
h3 small { font-size: 13px; font-weight: 400; font-style: normal; color: var(--soft); margin-left: 4px; }
p { margin: 0 0 12px; max-width: 68ch; }
code { font: 0.92em/1 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
h1 code { font: inherit; color: var(--accent); }
h2 code { font: inherit; color: var(--accent); }
.eyebrow { color: var(--soft); font-size: 14px; font-weight: 600; margin-bottom: 14px; }
.lead { font-size: 18px; color: var(--soft); }
.about { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: 12px 40px; margin: 28px 0 0; padding: 0; list-style: none; }
.facts b { display: block; font-size: 22px; font-weight: 650; letter-spacing: -0.01em; line-height: 1.2; }
.facts span { color: var(--soft); font-size: 14px; }
section { margin-top: 64px; }
section > p { color: var(--soft); }
section > p.finding { color: var(--ink); font-size: 18px; }
svg { display: block; max-width: 100%; height: auto; overflow: visible; }
svg text { font-family: inherit; fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .tick { font-size: 12px; fill: var(--soft); font-weight: 400; }
svg .strong { fill: var(--ink); font-weight: 600; }
svg .grid { stroke: var(--grid); }
svg .beginning { stroke: var(--soft); stroke-dasharray: 1 3; }
figure { margin: 20px 0 0; }
.narrow { display: none; }
.bars { list-style: none; margin: 0; padding: 0; }
.row { display: grid; grid-template-columns: 196px 1fr 110px; gap: 0 14px; align-items: center; padding: 4px 0; line-height: 1.25; break-inside: avoid; }
.row small { display: block; font-size: 12px; font-style: normal; font-weight: 400; color: var(--soft); }
.row .name { font-size: 15px; font-weight: 600; overflow-wrap: anywhere; }
.row.baseline .name { font-style: italic; font-weight: 500; }
.row .amount { font-size: 15px; font-weight: 650; text-align: right; }
.room { position: relative; margin: 4px 0; }
.stack { position: relative; display: flex; height: 26px; min-width: 2px; }
.stack:empty { background: var(--soft); }
.share { display: grid; place-items: center; min-width: 0; container-type: inline-size; background: var(--look); outline: 1px solid var(--paper); outline-offset: -0.5px; }
.inside { position: relative; z-index: 1; padding: 0 3px; font-size: 12px; font-weight: 600; color: var(--look-ink); background: inherit; }
@container (max-width: 37px) { .inside { display: none; } }
.baseline .stack::after { content: ""; position: absolute; inset: 0; pointer-events: none; opacity: 0.42; background: repeating-linear-gradient(45deg, var(--paper) 0 2.5px, transparent 2.5px 7px); }
.break { position: absolute; left: 90%; top: -3px; bottom: -3px; z-index: 2; width: 7px; transform: skewX(-15deg); background: var(--paper); border: solid var(--soft); border-width: 0 1.5px; }
.share-input { --look: var(--input); --look-ink: var(--input-ink); }
.share-cachewrite { --look: var(--cachewrite); --look-ink: var(--cachewrite-ink); }
.share-cachedinput { --look: var(--cachedinput); --look-ink: var(--cachedinput-ink); }
.share-output { --look: var(--output); --look-ink: var(--output-ink); }
.share-memory { --look: var(--memory); --look-ink: var(--memory-ink); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 22px; margin: 18px 0 4px; padding: 0; list-style: none; font-size: 14px; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: 8px; }
.swatch { width: 14px; height: 14px; border-radius: 3px; flex: none; background: var(--look); }
.swatch.hatched { background: repeating-linear-gradient(45deg, var(--soft) 0 3px, transparent 3px 6px); }
.policy-1 { --look: var(--policy-1); } .policy-2 { --look: var(--policy-2); } .policy-3 { --look: var(--policy-3); }
.policy-4 { --look: var(--policy-4); } .policy-5 { --look: var(--policy-5); } .policy-6 { --look: var(--policy-6); }
.policy-7 { --look: var(--policy-7); } .policy-8 { --look: var(--policy-8); } .baseline { --look: var(--baseline); }
.line { fill: none; stroke: var(--look, var(--accent)); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.baseline .line { stroke-dasharray: 6 4; stroke-linecap: butt; }
.baseline-2 .line { stroke-dasharray: 2 3; }
.repeated .line { stroke-dasharray: 12 3; }
.panels .line { stroke-width: 1.5; }
.dot { fill: var(--look, var(--accent)); }
.cached { fill: var(--look, var(--accent)); opacity: 0.2; }
.fold { stroke: var(--soft); stroke-width: 1.2; }
.exit { fill: var(--look, var(--baseline)); }
.leader { fill: none; stroke: var(--look); stroke-width: 1; opacity: 0.55; }
svg .label { fill: var(--look); font-weight: 500; }
svg .label .value { font-weight: 650; }
.lines svg:has(.series:hover) .series:not(:hover) { opacity: 0.2; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(272px, 1fr)); gap: 28px 30px; margin-top: 24px; }
.panels figure { margin: 0; break-inside: avoid; min-width: 0; align-self: end; }
.panels svg { width: 100%; }
.panels figcaption { margin-bottom: 4px; font-size: 13px; line-height: 1.45; color: var(--soft); }
.panels h3 { color: var(--ink); }
.panels .is-baseline h3 { font-style: italic; font-weight: 500; }
.flat { fill: var(--accent-soft); }
.within { stroke: var(--accent); stroke-dasharray: 3 4; opacity: 0.6; }
.point { fill: var(--paper); stroke: var(--accent); stroke-width: 2; }
.point.is-flat { fill: var(--accent); }
.best { fill: none; stroke: var(--ink); stroke-width: 2; }
/* The shadows stay at the edges; at either end of a table a cover that scrolls with it hides one of them. */
.scroll {
  overflow-x: auto; margin-top: 20px; border: 1px solid var(--faint); border-radius: 10px;
  background:
    linear-gradient(to right, var(--paper) 40%, transparent) left / 64px 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) right / 64px 100% no-repeat local,
    linear-gradient(to right, var(--edge), transparent) left / 26px 100% no-repeat scroll,
    linear-gradient(to left, var(--edge), transparent) right / 26px 100% no-repeat scroll;
}
table { border-collapse: collapse; width: 100%; font-size: 14px; line-height: 1.4; }
th, td { padding: 10px 11px; text-align: right; vertical-align: top; white-space: nowrap; border-top: 1px solid var(--grid); }
thead th { border-top: 0; color: var(--soft); font-weight: 500; font-size: 13px; vertical-align: bottom; background: var(--shade); white-space: normal; min-width: 62px; }
tbody th { text-align: left; font-weight: 600; max-width: 260px; white-space: normal; min-width: 130px; }
tbody th small { display: block; font-weight: 400; color: var(--soft); font-size: 12.5px; }
tr.baseline th { font-style: italic; font-weight: 500; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); padding-left: 16px; }
th:last-child, td:last-child { padding-right: 16px; }
thead th:first-child { background: linear-gradient(var(--shade), var(--shade)), var(--paper); }
td small { display: block; color: var(--soft); font-size: 12.5px; }
td.text, th.text { text-align: left; }
td.wrap { white-space: normal; min-width: 190px; overflow-wrap: anywhere; }
tr.is-best td, tr.is-best th { font-weight: 650; }
figure .scroll { margin: 0; border: 0; border-radius: 0; }
.map { width: auto; border-collapse: separate; border-spacing: 3px; font-size: 13px; font-variant-numeric: tabular-nums; }
.map caption { text-align: left; font-size: 12px; font-weight: 600; }
.map th, .map td { min-width: 0; padding: 6px; border: 0; text-align: center; }
.map th { background: var(--paper); font-size: 12px; font-weight: 400; color: var(--soft); }
.map td[title] { min-width: 86px; border-radius: 3px; outline: 1px solid var(--faint); background: color-mix(in srgb, var(--heat) var(--depth), transparent); }
.map td.is-flat { outline: 1.5px dashed var(--ink); outline-offset: -1px; }
.map td.is-best { outline: 3px solid var(--ink); outline-offset: -1.5px; font-weight: 700; }
details { margin-top: 20px; }
summary { cursor: pointer; color: var(--accent); font-size: 15px; width: fit-content; }
dl { display: grid; grid-template-columns: minmax(160px, 230px) 1fr; gap: 10px 28px; margin: 20px 0 0; }
dt { font-weight: 600; }
dd { margin: 0; color: var(--soft); max-width: 68ch; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
@media screen and (max-width: 720px) {
  main { padding: 32px 20px 48px; }
  h1 { font-size: 26px; }
  .lead, section > p.finding { font-size: 17px; }
  section { margin-top: 52px; }
  .wide { display: none; }
  .narrow { display: block; }
  .narrow svg { width: 100%; max-width: 460px; }
  .row { grid-template-columns: 1fr auto; align-items: baseline; padding: 5px 0; }
  .row .amount { order: -1; }
  .row .name { order: -2; }
  .row .room { grid-column: 1 / -1; }
  .row small { display: inline; margin-left: 4px; }
  .map { font-size: 11px; border-spacing: 2px; }
  .map th, .map td { padding: 7px 3px; }
  .map td[title] { min-width: 38px; }
  .facts { display: grid; grid-template-columns: auto auto; gap: 16px 28px; justify-content: start; }
  th, td { padding: 9px 9px; }
  tbody th { min-width: 112px; max-width: 190px; }
  td.wrap { min-width: 270px; }
  dl { grid-template-columns: 1fr; gap: 2px; }
  dd { margin-bottom: 12px; }
}
@media print {
  body { font-size: 11pt; }
  main { max-width: none; padding: 0; }
  section { margin-top: 28pt; }
  figure, table, dl > * { break-inside: avoid; }
  h2 { break-after: avoid; }
  svg, .swatch, .stack, .share, .map td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .wide { display: block; }
  .narrow { display: none; }
  .scroll { overflow: visible; border: 0; background: none; }
  th, td, tbody th, td small, th small { padding: 4px 5px; font-size: 7.5pt; min-width: 0; }
  td small, th small { padding: 0; }
  td.wrap { min-width: 110pt; }
}
`
