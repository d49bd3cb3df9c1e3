import type { Api } from '../../../index.js'
import type { Site } from '../page.js'
import { toLine } from './schema-text.js'

/** The index in the format of llmstxt.org. Links are relative, as the console may be mounted at any path. */
export function writeLlmsIndex({ title, apis, documents, registration, guides, changelog }: Site): string {
  const documented = apis.filter(({ name }) => documents.has(name))
  const texts = changelog ? [...guides, changelog] : guides
  const parts = [
    `# ${toLine(title)}`,
    `> ${apis.length === 1 ? 'One HTTP API' : `${apis.length} HTTP APIs`} for the applications of developers. Each API has its own address and credentials.`,
    ...apis.map(describeApi),
    registration
      ? 'Key and secret come by e-mail after an application is registered: `POST` `{"name": "...", "contact": "name@example.com", "apis": ["..."]}` as JSON to [register](register), or fill in the form there. Ask the person you work for first.'
      : 'Key and secret come from the operator of this platform.',
    documented.length > 0 && '## APIs',
    documented
      .map((api) =>
        writeLink(
          api.title,
          `apis/${api.name}.md`,
          api.description ?? 'operations, parameters and schemas, with commands',
        ),
      )
      .join('\n'),
    texts.length > 0 && '## Guides',
    texts.map((text) => writeLink(text.title, `${text.path}.md`)).join('\n'),
    documented.length > 0 && '## Optional',
    documented.map((api) => writeLink(`${api.title}: OpenAPI document`, `apis/${api.name}/openapi.json`)).join('\n'),
  ]
  return `${parts.filter((part) => typeof part === 'string' && part !== '').join('\n\n')}\n`
}

function describeApi({ name, title, resource, tokenEndpoint, keyHeaders }: Api): string {
  const usage =
    tokenEndpoint === undefined
      ? `send the key of the application in the header \`${keyHeaders[0]}\``
      : `request an access token at ${tokenEndpoint} (OAuth 2.0 client credentials: \`client_id\` is the key of the application, \`client_secret\` its secret), and send it as \`Authorization: Bearer $ACCESS_TOKEN\``
  return `${toLine(title)} (\`${name}\`) is at ${resource}: ${usage}.`
}

function writeLink(title: string, path: string, note?: string): string {
  return `- [${toLine(title).replaceAll(/[[\]\\]/g, '\\$&')}](${path})${note === undefined ? '' : `: ${toLine(note)}`}`
}
