/** Settings of the singularity backend (hermes-runtime 5.2, 6.5). */
import { containerSettings, DEFAULT_IMAGE, textSetting, type ContainerSettings, type ReadSetting } from '../shell.ts';

/** Persistent: changes are kept in an overlay in the sandbox directory. There is no limit for the disk. */
export interface SingularitySettings extends Omit<ContainerSettings, 'diskMb'> {
  /** Path of an image or a directory, or an address such as `docker://…`. */
  readonly image: string;
}

/** Throws `EnvironmentError` that names the variable. */
export function readSingularitySettings(read: ReadSetting): SingularitySettings {
  return {
    image: textSetting(read, 'TERMINAL_SINGULARITY_IMAGE', 'terminal.singularity_image') ?? `docker://${DEFAULT_IMAGE}`,
    ...containerSettings(read),
  };
}
