/** A small checkout of tinker-atropos: one environment, a trainer, and a trajectory server that speaks Atropos' API on loopback. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const ENVIRONMENT = `
"""Grade school mathematics."""
import json, sys, time, urllib.request
from atroposlib.envs.base import BaseEnv, BaseEnvConfig
class MathConfig(BaseEnvConfig):
    dataset: str = Field("gsm8k", description="Where questions come from.")
    max_questions: int = 100
    strict: bool = True
    learning_rate: float = 0.1
class MathEnv(BaseEnv):
    """Questions with one number as the answer."""
    name = "math"
    env_config_cls = MathConfig
    @classmethod
    def config_init(cls):
        return MathConfig(max_questions=250), []
`;
/** The part of the file that runs needs no package: the class above is only read. */
const MAIN = `
import json, os, sys, time, urllib.request
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
if sys.argv[1] == "serve":
    print("serving", flush=True)
    time.sleep(600)
for step in range(int(options["--env.total_steps"])):
    body = json.dumps({"model": options["--openai.model_name"], "messages": [{"role": "user", "content": "1+1"}]}).encode()
    request = urllib.request.Request(options["--openai.base_url"] + "/chat/completions", body, {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
    try:
        text = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
    except Exception as error:
        print("asking failed:", error, os.environ["OPENAI_API_KEY"])
        sys.exit(3)
    with open(options["--env.data_path_to_save_groups"], "a") as file:
        file.write(json.dumps({"scores": [1.0 if text == "2" else 0.0] * int(options["--env.group_size"])}) + "\\n")
`;
const API = (port: number): string => `#!/usr/bin/env python3
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = {"/status": {"current_step": 7, "queue_size": 3}, "/wandb_info": {"group": "g", "project": "p"}, "/latest_example": {"scores": [1, 0]}}.get(self.path)
        self.send_response(200 if body else 404); self.end_headers(); self.wfile.write(json.dumps(body).encode())
    def log_message(self, *args): pass
print("trajectory server", flush=True)
HTTPServer(("127.0.0.1", ${String(port)}), Handler).serve_forever()
`;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => { server.close(resolve); });
  return found;
}

/** `port` is where its trajectory server listens once it is started. */
export async function makeRlCheckout(root: string, port: number): Promise<void> {
  const environments = join(root, 'tinker_atropos', 'environments');
  await mkdir(environments, { recursive: true });
  await mkdir(join(root, '.venv', 'bin'), { recursive: true });
  await Promise.all([
    // Read as a whole by the scan; run as a whole by the tools: what needs atroposlib stands behind a condition.
    writeFile(join(environments, 'math_env.py'), `if False:\n${ENVIRONMENT.split('\n').filter((line) => line.startsWith('import') || line.startsWith('from')).map((line) => `    ${line}`).join('\n')}\nclass BaseEnv: pass\nclass BaseEnvConfig: pass\ndef Field(default, description=""): return default\n${ENVIRONMENT.split('\n').filter((line) => !line.startsWith('import') && !line.startsWith('from')).join('\n')}\n${MAIN}`),
    writeFile(join(environments, 'broken.py'), 'class Half(BaseEnv:\n'),
    writeFile(join(environments, 'helper.py'), 'class NotAnEnvironment:\n    pass\n'),
    writeFile(join(root, 'launch_training.py'), 'import time\nprint("training", flush=True)\ntime.sleep(600)\n'),
    writeFile(join(root, '.venv', 'bin', 'run-api'), API(port)),
  ]);
  await chmod(join(root, '.venv', 'bin', 'run-api'), 0o755);
}
