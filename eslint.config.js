/** Typed lint: floating promises, unsafe `any`, exhaustive switches, stale hooks. Imports between folders are `.dependency-cruiser.cjs`. */
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Told where a thing should be done instead. */
const restrictedGlobals = [
  { name: 'fetch', message: 'Only main/models, tools/web and the launcher talk to the network; elsewhere take what they offer.' },
];
const escapes = [
  { selector: 'TSAsExpression[typeAnnotation.type="TSAnyKeyword"]', message: 'as any hides what the value is: narrow it, or cast to what it is and say why on the same line.' },
  { selector: 'CatchClause[param=null] > BlockStatement[body.length=0]', message: 'A silent catch loses the cause: handle it or say why it may be ignored.' },
];

export default tseslint.config(
  { ignores: ['dist/', 'release/', 'coverage/', 'node_modules/', 'test/output/', 'test/fixtures/', 'docs/', '**/*.mjs', '**/*.cjs', 'eslint.config.js'] },
  ...tseslint.configs.strictTypeChecked,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      parserOptions: {
        project: ['main/tsconfig.json', 'preload/contract/tsconfig.json', 'preload/tsconfig.json', 'renderer/tsconfig.json', 'test/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      /** `return refuse(…)` as an early end reads better than two statements. */
      '@typescript-eslint/no-confusing-void-expression': 'off',
      /** `[...text]` by code points is what we mean. */
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      /** Seams are objects made of closures; handing on one of their functions is the norm, and our classes keep `this` behind `#private`. */
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      /** The contract's schemas and their types share a name on purpose. */
      '@typescript-eslint/no-redeclare': 'off',
      /** An empty function as a default or a no-op listener is a statement of its own. */
      '@typescript-eslint/no-empty-function': 'off',
      /** Seams are asynchronous so that another implementation may wait; the one at hand need not. */
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      'no-restricted-syntax': ['error', ...escapes],
      'no-async-promise-executor': 'error',
      'no-cond-assign': 'error',
      'no-constant-binary-expression': 'error',
      'no-control-regex': 'error',
      'no-dupe-else-if': 'error',
      'no-eval': 'error',
      'no-fallthrough': 'error',
      'no-irregular-whitespace': 'error',
      'no-loss-of-precision': 'error',
      'no-misleading-character-class': 'error',
      'no-prototype-builtins': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unreachable-loop': 'error',
      'no-unsafe-finally': 'error',
      'no-useless-escape': 'error',
      'no-new-func': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'eqeqeq': ['error', 'always'],
    },
  },
  { files: ['renderer/**/*.{ts,tsx}', 'preload/**/*.ts', 'main/bridge/**/*.ts', 'main/approvals/**/*.ts', 'main/storage/**/*.ts'], rules: { 'no-restricted-globals': ['error', ...restrictedGlobals] } },
  { files: ['renderer/**/*.{ts,tsx}'], ...hooks.configs.flat['recommended-latest'] },
  /** Only React's compiler minds a ref that is brought up to date while rendering; we do not use it. */
  { files: ['renderer/**/*.{ts,tsx}'], rules: { 'react-hooks/refs': 'off' } },
  {
    files: ['test/**/*.{ts,tsx}'],
    rules: {
      /** `toEqual(expect.any(…))` and parsed replies are `any`; the assertion that follows is the check. */
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      'no-control-regex': 'off',
    },
  },
  { files: ['*.config.ts'], rules: { '@typescript-eslint/no-deprecated': 'off' } },
);
