import { testSamples } from './sample-suite.js'

const { PYTHON = '/usr/bin/python3' } = process.env

// One process runs all programs of a language: starting one takes longer than the calls.
testSamples({
  curl: {
    ending: '.sh',
    listCommands: (files) => [['sh', '-c', 'for file; do sh "$file"; done', 'sh', ...files]],
    repeat: (code) => `${code}\n${code}\n`,
  },
  javascript: {
    ending: '.mjs',
    listCommands: (files) => [
      [
        process.execPath,
        '--input-type=module',
        '-e',
        'for (const file of process.argv.slice(1)) await import(`${process.cwd()}/${file}`)',
        ...files,
      ],
    ],
    repeat: (code) => `${code}\nawait callApi()\n`,
  },
  python: {
    ending: '.py',
    listCommands: (files) => [
      [PYTHON, '-c', 'import runpy, sys\nfor file in sys.argv[1:]: runpy.run_path(file)', ...files],
    ],
    repeat: (code) => `${code}\ncall_api()\n`,
  },
})
