// A process that lists all pods a few times, so that the one that started it can find out what others wait meanwhile.
// Arguments: the accepted media type, the path and how often; server and token come in the environment.

import { connectTo } from './api-client.ts'

const [accept = '', path = '', times = '1'] = process.argv.slice(2)
const client = await connectTo({ server: process.env['BENCH_SERVER'] ?? '', token: process.env['BENCH_TOKEN'] ?? '' })
process.stdout.write('ready\n')
for (let i = 0; i < Number(times); i++) await client.send(path, { accept })
client.close()
