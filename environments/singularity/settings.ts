/** Settings of the singularity backend (hermes-runtime 5.2, 6.5). */
import { numberSetting, textSetting, truthSetting, type ReadSetting } from '../shell.ts';

const DEFAULT_IMAGE = 'docker://nikolaik/python-nodejs:python3.11-nodejs20';
const DEFAULT_CPUS = 1;
const DEFAULT_MEMORY_MB = 5_120;

export interface SingularitySettings {
  /** Path of an image or a directory, or an address such as `docker://…`. */
  readonly image: string;
  /** 0 = no limit. */
  readonly cpus: number;
  readonly memoryMb: number;
  /** Changes are kept in an overlay in the sandbox directory. */
  readonly persistent: boolean;
}

/** Throws `EnvironmentError` that names the variable. */
export function readSingularitySettings(read: ReadSetting): SingularitySettings {
  return {
    image: textSetting(read, 'TERMINAL_SINGULARITY_IMAGE', 'terminal.singularity_image') ?? DEFAULT_IMAGE,
    cpus: numberSetting(read, 'TERMINAL_CONTAINER_CPU', 'terminal.container_cpu', DEFAULT_CPUS, { min: 0 }),
    memoryMb: numberSetting(read, 'TERMINAL_CONTAINER_MEMORY', 'terminal.container_memory', DEFAULT_MEMORY_MB, { min: 0 }),
    persistent: truthSetting(read, 'TERMINAL_CONTAINER_PERSISTENT', 'terminal.container_persistent', true),
  };
}
