/** The one address of our pages. */

export const SCHEME = 'app';
export const ORIGIN = `${SCHEME}://talaria`;
export const START_PAGE = `${ORIGIN}/`;

/** True for addresses of our own pages; anything that is no address is not. */
export function isOwnPage(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}` === ORIGIN;
}
