/** The thread in which one page is converted; the caller ends it when it takes too long. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ConvertRequest, convertPage } from './convert.ts';

parentPort?.postMessage(await convertPage(workerData as ConvertRequest)); // cast: page-text.ts is the only one that starts this file
