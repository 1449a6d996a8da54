import type { ITheme } from '@xterm/xterm';

/** The sixteen colours. Each reaches 4.5:1 on its canvas except black on dark and white on light, which are the background's own. */
const LIGHT: ITheme = {
  black: '#1a1a1f', red: '#b01f1f', green: '#19693a', yellow: '#7d4b00', blue: '#2456d6', magenta: '#8a2a9c', cyan: '#0b6475', white: '#63636e',
  brightBlack: '#54545f', brightRed: '#c52f2f', brightGreen: '#1d7a44', brightYellow: '#8a5a00', brightBlue: '#2f63e8', brightMagenta: '#9c3bb0', brightCyan: '#0d7285', brightWhite: '#3a3a42',
};
const DARK: ITheme = {
  black: '#5b5d67', red: '#ff938a', green: '#74d19b', yellow: '#f0b860', blue: '#8fb0ff', magenta: '#d9a0ea', cyan: '#7cd0de', white: '#d5d6dc',
  brightBlack: '#8b8e9a', brightRed: '#ffaea7', brightGreen: '#95e0b3', brightYellow: '#f7cd88', brightBlue: '#a9c2ff', brightMagenta: '#e6bdf2', brightCyan: '#9fdfea', brightWhite: '#ececef',
};

/** Colours of an element's theme as the terminal takes them. `locked` hides the cursor: what is typed goes nowhere. */
export function terminalTheme(element: HTMLElement, locked: boolean): ITheme {
  const background = resolvedColour(element, 'var(--color-sunken)');
  const ink = resolvedColour(element, 'var(--color-ink)');
  const dark = isDark(background);
  return {
    ...(dark ? DARK : LIGHT),
    background, foreground: ink,
    cursor: locked ? 'rgba(0, 0, 0, 0)' : ink, cursorAccent: background,
    selectionBackground: dark ? '#33477e' : '#c5d5fb',
  };
}

/** Colours that search marks its matches with, as `#rrggbb`: the addon takes no other form. */
export function searchColours(element: HTMLElement) {
  const dark = isDark(resolvedColour(element, 'var(--color-sunken)'));
  return dark
    ? { matchBackground: '#4a3d1c', matchOverviewRuler: '#b98632', activeMatchBackground: '#8a5f14', activeMatchColorOverviewRuler: '#f0b860' }
    : { matchBackground: '#fbe6b8', matchOverviewRuler: '#c98a1b', activeMatchBackground: '#f5c04e', activeMatchColorOverviewRuler: '#7d4b00' };
}

/** The colour as `rgb(…)`: `light-dark()` and variables worked out by the browser. */
function resolvedColour(element: HTMLElement, colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  element.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

function isDark(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return (red * 299 + green * 587 + blue * 114) / 1_000 < 128;
}
