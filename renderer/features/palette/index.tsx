export { Palette } from './palette.tsx';
export type { PaletteGroup, PaletteItem } from './palette.tsx';
