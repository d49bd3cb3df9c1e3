import { fileURLToPath } from 'node:url'
import { testSamples } from './sample-suite.js'

/** What samples need of .NET and Debian's Mono does not have. */
const MONO_SUPPORT = fileURLToPath(new URL('mono-support.cs', import.meta.url))

testSamples({
  go: {
    ending: '.go',
    listCommands: (files) =>
      files.flatMap((file) => [
        ['go', 'vet', file],
        ['go', 'run', file],
      ]),
    repeat: (code) => code.replace('response, err := callAPI()', 'callAPI()\n\tresponse, err := callAPI()'),
  },
  php: {
    ending: '.php',
    listCommands: (files) => files.map((file) => ['php', file]),
    repeat: (code) => `${code}\ncallApi();\n`,
  },
  java: {
    ending: '.java',
    listCommands: (files) => files.map((file) => ['java', file]),
    repeat: (code) => code.replace('response = callApi()', 'first = callApi(), response = callApi()'),
  },
  csharp: {
    ending: '.cs',
    listCommands: (files) =>
      files.flatMap((file) => [
        [
          'mcs',
          '-r:System.Net.Http',
          '-r:System.Web.Extensions',
          '-main:EntryPoint',
          '-out:sample.exe',
          file,
          MONO_SUPPORT,
        ],
        ['mono', 'sample.exe'],
      ]),
    repeat: (code) =>
      code.replace('var response = await CallApi()', 'await CallApi();\n        var response = await CallApi()'),
  },
})
