/** Settings of the singularity backend (hermes-runtime 5.2, 6.5). */
import { containerSettings, DEFAULT_IMAGE, invalidValue, jsonSetting, textSetting, type ContainerSettings, type ReadSetting } from '../shell.ts';

/** Persistent: changes are kept in an overlay in the sandbox directory. There is no limit for the disk. */
export interface SingularitySettings extends Omit<ContainerSettings, 'diskMb'> {
  /** Path of an image or a directory, or an address such as `docker://…`. */
  readonly image: string;
  /** Flag that shows the graphics card inside: `--nv` (NVIDIA) or `--rocm` (AMD). */
  readonly gpu?: '--nv' | '--rocm';
  /** `host:inside[:ro]`, beside the read-only ones of the home. */
  readonly binds: readonly string[];
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');
const GPU_FLAGS = new Map([['nvidia', '--nv'], ['nv', '--nv'], ['true', '--nv'], ['1', '--nv'], ['yes', '--nv'], ['on', '--nv'], ['amd', '--rocm'], ['rocm', '--rocm']] as const);
const NO_GPU = new Set(['', 'false', '0', 'no', 'off', 'none']);

function gpuFlag(read: ReadSetting): '--nv' | '--rocm' | undefined {
  const value = read('TERMINAL_SINGULARITY_GPU', 'terminal.singularity_gpu');
  const word = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
  const flag = [...GPU_FLAGS].find(([name]) => name === word)?.[1];
  if (flag === undefined && !NO_GPU.has(word)) throw invalidValue('TERMINAL_SINGULARITY_GPU', value, 'nvidia, amd, true or false is wanted');
  return flag;
}

function bindList(read: ReadSetting): readonly string[] {
  const binds = jsonSetting(read, 'TERMINAL_SINGULARITY_BINDS', 'terminal.singularity_binds', [] as string[], 'a JSON list of texts is wanted', isTexts);
  // apptainer takes several binds in one word, parted by commas: a path with one would say something else.
  for (const bind of binds) if (!/^[^:,]+:\/[^:,]*(?::(?:ro|rw))?$/.test(bind)) throw invalidValue('TERMINAL_SINGULARITY_BINDS', bind, 'host:/inside or host:/inside:ro is wanted, without commas');
  return binds;
}

/** Throws `EnvironmentError` that names the variable. */
export function readSingularitySettings(read: ReadSetting): SingularitySettings {
  const gpu = gpuFlag(read);
  return {
    ...(gpu === undefined ? {} : { gpu }), binds: bindList(read),
    image: textSetting(read, 'TERMINAL_SINGULARITY_IMAGE', 'terminal.singularity_image') ?? `docker://${DEFAULT_IMAGE}`,
    ...containerSettings(read),
  };
}
