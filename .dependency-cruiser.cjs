/** Which way imports may point (docs/architecture.md). A wrong arrow fails the lint run with the sentence that says where the code should go. */

const CORE = '^tools/((registry|context|result)\\.ts$|registry/)';
/** Pure helpers that several families use. They know no family. */
const SHARED = '^tools/shared/';
const OUTER_CORE = '^tools/((registry|context|result|discovery|toolsets)\\.ts$|registry/)';
const OURS = '^(tools|environments|main|preload|renderer|test)/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular', severity: 'error',
      comment: 'Two modules that need each other are one subject, or miss a third one that both may know.',
      from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'registry-is-a-leaf', severity: 'error',
      comment: 'The tools core knows no tool and no host: a tool joins by being loaded.',
      from: { path: CORE }, to: { path: '^(tools|main|renderer|preload)/', pathNot: [CORE, SHARED] },
    },
    {
      name: 'tools-not-host', severity: 'error',
      comment: 'A tool reaches the host through ctx.services only: add a narrow service to tools/context.ts.',
      from: { path: '^tools/' }, to: { path: '^(main|renderer|preload)/' },
    },
    {
      name: 'tools-not-backend', severity: 'error',
      comment: 'Tools are given an environment by the host; they may know base.ts (its types and its error), never make one.',
      from: { path: '^tools/' }, to: { path: '^environments/', pathNot: '^environments/base\\.ts$' },
    },
    {
      name: 'tool-not-tool', severity: 'error',
      comment: 'A tool family uses the core and its own folder tools/<family>/. What two families share is a service.',
      from: { path: '^tools/([^/]+)\\.ts$', pathNot: OUTER_CORE },
      to: { path: '^tools/', pathNot: [CORE, SHARED, '^tools/$1/'] },
    },
    {
      name: 'helper-not-core', severity: 'error',
      comment: 'Helpers of a family never register, and stay inside their family.',
      from: { path: '^tools/([^/]+)/', pathNot: [CORE, '^tools/[^/]+/tool\\.ts$'] },
      to: { path: '^tools/', pathNot: ['^tools/(context|result)\\.ts$', '^tools/$1/', SHARED] },
    },
    {
      name: 'helper-not-registry', severity: 'error',
      comment: 'Helpers of a family never register: they may know the registry\'s types at most.',
      from: { path: '^tools/[^/]+/', pathNot: [CORE, '^tools/[^/]+/tool\\.ts$'] }, to: { path: '^tools/registry\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'discovery-not-tool', severity: 'error',
      comment: 'Discovery and toolsets find tools by scanning and by name; they import none.',
      from: { path: '^tools/(discovery|toolsets)\\.ts$' }, to: { path: '^tools/', pathNot: [OUTER_CORE, '^tools/(discovery|toolsets)/'] },
    },
    {
      name: 'environment-only-base', severity: 'error',
      comment: 'A backend uses base.ts, shell.ts, sync.ts, hosted.ts and its own folder.',
      from: { path: '^environments/([^/]+?)(\\.ts$|/)' },
      to: { path: OURS, pathNot: ['^environments/(base|shell|sync|hosted)\\.ts$', '^environments/$1(\\.ts$|/)'] },
    },
    {
      name: 'contract-is-a-leaf', severity: 'error',
      comment: 'The contract knows nothing of ours: both sides lean on it.',
      from: { path: '^preload/contract/' }, to: { path: OURS, pathNot: '^preload/contract/' },
    },
    {
      name: 'preload-only-contract', severity: 'error',
      comment: 'The preloads carry the contract and nothing else.',
      from: { path: '^preload/' }, to: { path: '^(main|renderer|tools|environments|test)/' },
    },
    {
      name: 'renderer-only-contract', severity: 'error',
      comment: 'A screen talks to the host through bridge.ts and knows only types of the contract.',
      from: { path: '^renderer/' }, to: { path: OURS, pathNot: ['^renderer/', '^preload/contract/'] },
    },
    {
      name: 'renderer-contract-types-only', severity: 'error',
      comment: 'The contract\'s schemas would pull zod into the bundle; frames.ts and smart-classes.ts are made to be shared.',
      from: { path: '^renderer/' }, to: { path: '^preload/contract/', pathNot: '^preload/contract/(frames|smart-classes)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'renderer-no-node', severity: 'error',
      comment: 'There is no Node in a screen: make it a request of the contract.',
      from: { path: '^renderer/' }, to: { dependencyTypes: ['core'] },
    },
    {
      name: 'feature-not-feature', severity: 'error',
      comment: 'A feature does not reach into another past its index: what both show belongs into ui/, what both know into the app.',
      from: { path: '^renderer/features/([^/]+)/' }, to: { path: '^renderer/features/', pathNot: ['^renderer/features/$1/', '^renderer/features/[^/]+/index\\.tsx?$'] },
    },
    {
      name: 'ui-not-feature', severity: 'error',
      comment: 'ui/ holds components that know no feature.',
      from: { path: '^renderer/ui/' }, to: { path: '^renderer/(features|app)/' },
    },
    {
      name: 'electron-only-in-its-shell', severity: 'error',
      comment: 'The host runs without Electron. What differs between shells is in the Shell port.',
      from: { pathNot: '^(main/shells/electron/|preload/electron\\.ts$|test/)' }, to: { path: '(^|/)node_modules/electron/|^electron$' },
    },
    {
      name: 'host-not-shell', severity: 'error',
      comment: 'The host does not know its shells: hand the difference in through the Shell port.',
      from: { path: '^main/', pathNot: '^main/shells/' }, to: { path: '^main/shells/' },
    },
    {
      name: 'shell-not-shell', severity: 'error',
      comment: 'Shells do not know each other: what two need belongs into main/.',
      from: { path: '^main/shells/([^/]+)/' }, to: { path: '^main/shells/', pathNot: '^main/shells/$1/' },
    },
    {
      name: 'main-not-tool-modules', severity: 'error',
      comment: 'The host finds tools through the registry, never by module.',
      from: { path: '^main/' }, to: { path: '^tools/', pathNot: [OUTER_CORE, SHARED] },
    },
    {
      name: 'main-not-renderer', severity: 'error',
      comment: 'The host knows screens only through the contract.',
      from: { path: '^main/' }, to: { path: '^(renderer|preload)/', pathNot: '^preload/contract/' },
    },
    {
      name: 'nothing-imports-test', severity: 'error',
      comment: 'What the product needs does not live in test/.',
      from: { pathNot: '^test/' }, to: { path: '^test/' },
    },
    {
      name: 'no-dev-dependency', severity: 'error',
      comment: 'What runs in the host must be in dependencies, or the packaged app lacks it.',
      from: { path: '^(main|tools|environments)/', pathNot: '^main/shells/electron/' }, to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvable', severity: 'error',
      comment: 'An import that leads nowhere.',
      from: {}, to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|release|coverage|test/output)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'], extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'] },
    moduleSystems: ['es6', 'cjs'],
    parser: 'tsc',
  },
};
