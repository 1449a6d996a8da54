/** The image a container is made of: looked up, or pulled while somebody watches. */
import type Docker from 'dockerode';
import { EnvironmentError } from '../base.ts';
import { engineError, statusCode } from './engine.ts';

/** Layers shown at once, and how often. */
const SHOWN_LAYERS = 8;
const SHOW_EVERY_MS = 200;

interface PullEvent { readonly status?: string; readonly id?: string; readonly progress?: string; readonly progressDetail?: { readonly current?: number; readonly total?: number } }

/** The state of a pull as a few lines: how much of what is known has come, and the layers that moved last. */
export class PullProgress {
  readonly #image: string;
  readonly #lines = new Map<string, string>();
  readonly #bytes = new Map<string, { current: number; total: number }>();
  #done = 0;

  constructor(image: string) {
    this.#image = image;
  }

  take({ status = '', id, progress, progressDetail }: PullEvent): void {
    if (id === undefined || status.startsWith('Pulling from')) return;
    this.#lines.delete(id); // moves it to the end
    this.#lines.set(id, `${id}: ${status}${progress === undefined || progress === '' ? '' : ` ${progress}`}`);
    if (status === 'Downloading' && progressDetail?.current !== undefined && progressDetail.total !== undefined) this.#bytes.set(id, { current: progressDetail.current, total: progressDetail.total });
    if (status === 'Pull complete' || status === 'Already exists') this.#done += 1;
  }

  text(): string {
    const bytes = [...this.#bytes.values()];
    const total = bytes.reduce((sum, part) => sum + part.total, 0);
    const current = bytes.reduce((sum, part) => sum + part.current, 0);
    const share = total === 0 ? '' : `, ${Math.floor((current / total) * 100)} % of ${(total / 1e6).toFixed(1)} MB`;
    return [`Pulling ${this.#image}: ${this.#done} of ${this.#lines.size} layers${share}`, ...[...this.#lines.values()].slice(-SHOWN_LAYERS)].join('\n');
  }
}

/** Throws `EnvironmentError`. `onProgress` is told a few times a second while the image is fetched. */
export async function requireImage(docker: Docker, image: string, onProgress?: (text: string) => void): Promise<Docker.ImageInspectInfo> {
  try {
    return await docker.getImage(image).inspect();
  } catch (error) {
    if (statusCode(error) !== 404) throw engineError(error, `the image ${image} cannot be looked at`);
  }
  const shown = new PullProgress(image);
  let telling: NodeJS.Timeout | undefined;
  onProgress?.(`Pulling ${image} …`);
  try {
    const stream = await docker.pull(image);
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(stream, (error) => { if (error === null) resolve(); else reject(error); }, (event: PullEvent) => {
        shown.take(event);
        telling ??= setTimeout(() => {
          telling = undefined;
          onProgress?.(shown.text());
        }, SHOW_EVERY_MS);
      });
    });
    return await docker.getImage(image).inspect();
  } catch (error) {
    throw new EnvironmentError('missing', `the image ${image} is not here and could not be pulled: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error, hint: 'Check TERMINAL_DOCKER_IMAGE (terminal.docker_image) and the connection to its registry.',
    });
  } finally {
    clearTimeout(telling);
  }
}
