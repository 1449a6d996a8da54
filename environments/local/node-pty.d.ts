/// <reference path="../../node_modules/node-pty/node-pty.d.ts" />
/** The package is installed under the name `node-pty`; its types only know the publisher's name. */
declare module 'node-pty' {
  export * from '@lydell/node-pty';
}
