/** One xterm in one element. Everything about drawing; nothing about React. */
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { WebglAddon } from '@xterm/addon-webgl';
import { Terminal as Xterm } from '@xterm/xterm';
import type { Terminal } from '../../../../preload/contract/terminal.ts';
import type { Drawing } from './attachment.ts';
import { gpuPool, hasGraphicsProcessor } from './gpu-lease.ts';
import { disarm } from './hostile.ts';
import { fileLinks, targetOf } from './links.ts';
import type { LinkTarget } from './links.ts';
import { Pace } from './pace.ts';
import { searchColours, terminalTheme } from './theme.ts';

/** Lines kept above the screen; the whole output stays with the host. */
const SCROLLBACK_LINES = 5_000;
/** A resize reaches the program when the size stood still this long (anchors B4: 50-80 ms). */
const SETTLE_MS = 60;
/** Between the pieces of a flood while the page is out of sight. */
const HIDDEN_FRAME_MS = 100;
const SMALLEST = { cols: 2, rows: 1 };

export interface ScreenOptions {
  readonly element: HTMLElement;
  readonly fontSize: number;
  readonly screenReader: boolean;
  /** False for a small preview: no keys, no size of its own. */
  readonly interactive: boolean;
  readonly label: string;
  /** What the keyboard made, to be sent to the program. */
  readonly onData: (data: string) => void;
  /** A key was pressed while the program takes none from here. */
  readonly onLockedKey: () => void;
  readonly onSize: (size: { readonly cols: number; readonly rows: number }) => void;
  readonly onFollow: (target: LinkTarget) => void;
  readonly onPaste: (text: string) => void;
  readonly onClipboardAttempt: () => void;
  readonly onSelection: (some: boolean) => void;
  readonly onSearch: (results: { readonly index: number; readonly count: number }) => void;
  /** Mod+F, and the keys that leave the terminal. */
  readonly onFind: () => void;
  /** The first picture of a snapshot is there. */
  readonly onDrawn?: () => void;
  readonly onLeave: () => void;
}

export class Screen implements Drawing {
  readonly #options: ScreenOptions;
  readonly #xterm: Xterm;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon({ highlightLimit: 1_000 });
  readonly #observer: ResizeObserver;
  readonly #scheme = matchMedia('(prefers-color-scheme: dark)');
  readonly #themeWatch: MutationObserver;
  readonly #returnGpu: () => void;
  readonly #pace: Pace;
  #settle: ReturnType<typeof setTimeout> | undefined;
  #locked = true;
  #told: { cols: number; rows: number } | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    const { element } = options;
    this.#xterm = new Xterm({
      allowProposedApi: true, // graphemes and search marks are behind it
      scrollback: SCROLLBACK_LINES,
      fontFamily: getComputedStyle(element).getPropertyValue('--font-mono') || 'monospace',
      fontSize: options.interactive ? options.fontSize : PREVIEW_FONT_SIZE,
      lineHeight: 1.2,
      cursorBlink: false,
      cursorInactiveStyle: options.interactive ? 'outline' : 'none',
      disableStdin: true,
      minimumContrastRatio: 4.5,
      screenReaderMode: options.screenReader,
      theme: terminalTheme(element, true),
      linkHandler: { allowNonHttpProtocols: true, activate: (_event, text) => { options.onFollow(targetOf(text, undefined)); }, hover: (_event, text) => { element.title = text; }, leave: () => { element.title = ''; } },
    });
    disarm(this.#xterm, { onClipboard: options.onClipboardAttempt });
    this.#xterm.loadAddon(this.#fit);
    this.#xterm.loadAddon(this.#search);
    this.#xterm.loadAddon(new UnicodeGraphemesAddon());
    this.#xterm.open(element);
    this.#xterm.textarea?.setAttribute('aria-label', options.label);
    this.#returnGpu = options.interactive && hasGraphicsProcessor() ? gpuPool.lease(() => {
      const addon = new WebglAddon();
      this.#xterm.loadAddon(addon);
      return addon;
    }) : () => undefined;
    if (options.interactive) this.#listen();
    else if (this.#xterm.textarea !== undefined) this.#xterm.textarea.tabIndex = -1;
    this.#pace = new Pace({ write: (bytes, done) => { this.#xterm.write(bytes, done); }, now: () => performance.now(), nextFrame });
    this.#observer = new ResizeObserver(() => { this.#fitSoon(); });
    if (options.interactive) this.#observer.observe(element);
    this.#themeWatch = new MutationObserver(this.#repaint);
    this.#themeWatch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    this.#scheme.addEventListener('change', this.#repaint);
  }

  #listen(): void {
    const { element, ...options } = this.#options;
    const xterm = this.#xterm;
    xterm.loadAddon(new WebLinksAddon((_event, url) => { options.onFollow(targetOf(url, url)); }));
    xterm.registerLinkProvider(fileLinks(xterm, options.onFollow));
    xterm.onData((data) => { if (!this.#locked) options.onData(data); });
    xterm.onBinary((data) => { if (!this.#locked) options.onData(data); });
    xterm.onSelectionChange(() => { options.onSelection(xterm.hasSelection()); });
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) => { options.onSearch({ index: resultIndex, count: resultCount }); });
    xterm.attachCustomKeyEventHandler((event) => this.#onKey(event));
    /** Before xterm sees it: a paste is looked at first. */
    element.addEventListener('paste', (event) => {
      event.preventDefault();
      event.stopPropagation();
      options.onPaste(event.clipboardData?.getData('text/plain') ?? '');
    }, true);
  }

  /** False keeps the key from the program. */
  #onKey(event: KeyboardEvent): boolean {
    if (event.type !== 'keydown') return true;
    const mod = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (mod && event.shiftKey && key === 'escape') {
      this.#options.onLeave();
      return false;
    }
    if (mod && key === 'f' && (event.shiftKey || event.metaKey)) {
      event.preventDefault();
      this.#options.onFind();
      return false;
    }
    /** The browser's own paste: it raises the event that is looked at. */
    if ((mod && key === 'v' && (event.shiftKey || event.metaKey)) || (event.shiftKey && key === 'insert')) return false;
    if (((event.ctrlKey && event.shiftKey) || event.metaKey) && key === 'c') {
      event.preventDefault();
      void this.copy();
      return false;
    }
    if (this.#locked) {
      if (event.key === 'Tab' || mod || event.altKey || event.key.length > 1) return false;
      this.#options.onLockedKey();
      return false;
    }
    return true;
  }

  restart(terminal: Terminal, snapshot: string): void {
    this.#pace.clear();
    this.#xterm.reset();
    this.#told = { cols: terminal.cols, rows: terminal.rows };
    this.#xterm.resize(Math.max(SMALLEST.cols, terminal.cols), Math.max(SMALLEST.rows, this.#options.interactive ? terminal.rows : previewRows(terminal)));
    this.#xterm.write(snapshot, () => {
      this.#fitSoon();
      const drawn = this.#xterm.onRender(() => {
        drawn.dispose();
        this.#options.onDrawn?.();
      });
      this.#xterm.refresh(0, this.#xterm.rows - 1);
    });
  }

  /** The lines in view, as text. */
  lines(): string[] {
    const { active } = this.#xterm.buffer;
    return Array.from({ length: this.#xterm.rows }, (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '');
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#pace.push(bytes, done);
  }

  /** Whether keys reach the program; a locked screen shows no cursor. */
  lock(locked: boolean): void {
    if (locked === this.#locked) return;
    this.#locked = locked;
    this.#xterm.options.disableStdin = locked;
    this.#repaint();
  }

  #repaint = (): void => {
    this.#xterm.options.theme = terminalTheme(this.#options.element, this.#locked);
  };

  setLook(look: { readonly fontSize: number; readonly screenReader: boolean }): void {
    if (this.#options.interactive) this.#xterm.options.fontSize = look.fontSize;
    this.#xterm.options.screenReaderMode = look.screenReader;
    this.#fitSoon();
  }

  #fitSoon(): void {
    if (!this.#options.interactive) return;
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => { this.#fitNow(); }, SETTLE_MS);
  }

  /** Only what can be seen is fitted: a hidden element has no size, and would tell the program a wrong one. */
  #fitNow(): void {
    if (!this.#options.element.checkVisibility() || this.#options.element.clientWidth === 0) return;
    const wanted = this.#fit.proposeDimensions();
    if (wanted === undefined || !Number.isFinite(wanted.cols) || !Number.isFinite(wanted.rows)) return;
    const size = { cols: Math.max(SMALLEST.cols, wanted.cols), rows: Math.max(SMALLEST.rows, wanted.rows) };
    if (size.cols !== this.#xterm.cols || size.rows !== this.#xterm.rows) this.#xterm.resize(size.cols, size.rows);
    if (this.#told?.cols === size.cols && this.#told.rows === size.rows) return;
    this.#told = size;
    this.#options.onSize(size);
  }

  /** Types text as a paste: line ends and bracketing as the program asked for. */
  paste(text: string): void {
    this.#xterm.paste(text);
    this.#xterm.focus();
  }

  focus(): void {
    this.#xterm.focus();
  }

  selectView(): void {
    const { viewportY } = this.#xterm.buffer.active;
    this.#xterm.selectLines(viewportY, viewportY + this.#xterm.rows - 1);
  }

  selection(): string {
    return this.#xterm.getSelection();
  }

  async copy(): Promise<void> {
    const text = this.#xterm.getSelection();
    if (text !== '') await navigator.clipboard.writeText(text);
  }

  find(text: string, how: { readonly back: boolean; readonly regex: boolean; readonly caseSensitive: boolean; readonly typing: boolean }): void {
    if (text === '') {
      this.#search.clearDecorations();
      this.#options.onSearch({ index: -1, count: 0 });
      return;
    }
    const options = { regex: how.regex, caseSensitive: how.caseSensitive, incremental: how.typing, decorations: searchColours(this.#options.element) };
    if (how.back) this.#search.findPrevious(text, options);
    else this.#search.findNext(text, options);
  }

  endFind(): void {
    this.#search.clearDecorations();
    this.#xterm.focus();
  }

  dispose(): void {
    clearTimeout(this.#settle);
    this.#observer.disconnect();
    this.#themeWatch.disconnect();
    this.#scheme.removeEventListener('change', this.#repaint);
    this.#returnGpu();
    this.#xterm.dispose();
  }
}

/** A page that is out of sight gets no frames, and yet must not hold a program up. */
function nextFrame(run: () => void): void {
  if (document.visibilityState === 'hidden') setTimeout(run, HIDDEN_FRAME_MS);
  else requestAnimationFrame(run);
}

/** A program that draws a whole screen needs all its rows; of the others the last lines do. */
const PREVIEW_ROWS = 10;
/** That of the text around it in a chat, in CSS pixels. */
const PREVIEW_FONT_SIZE = 12;

function previewRows(terminal: Terminal): number {
  return terminal.fullScreen ? terminal.rows : Math.min(terminal.rows, PREVIEW_ROWS);
}
