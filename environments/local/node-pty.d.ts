/* eslint-disable @typescript-eslint/triple-slash-reference -- that file declares a module by another name, so it cannot be imported */
/// <reference path="../../node_modules/node-pty/node-pty.d.ts" />
/** The package is installed under the name `node-pty`; its types only know the publisher's name. */
declare module 'node-pty' {
  export * from '@lydell/node-pty';
}
