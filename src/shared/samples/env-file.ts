import { ownMembers } from '../lib/own-members.js'

export function formatEnvFile(
  apis: readonly { readonly name: string; readonly resource: string; readonly tokenEndpoint: string | undefined }[],
  credentials: { readonly [Name in 'key' | 'clientId' | 'secret']?: string | undefined },
  comments: readonly string[] = [],
): string {
  const { key, clientId, secret } = ownMembers(credentials)
  const usesKeys = apis.some(({ tokenEndpoint }) => tokenEndpoint === undefined)
  const usesTokens = apis.some(({ tokenEndpoint }) => tokenEndpoint !== undefined)
  const lines = [
    ...comments.map((comment) => `# ${comment}`),
    ...(usesKeys && key !== undefined ? [`API_KEY=${key}`] : []),
    ...(usesTokens && clientId !== undefined ? [`CLIENT_ID=${clientId}`] : []),
    ...(usesTokens && secret !== undefined ? [`CLIENT_SECRET=${secret}`] : []),
    ...apis.flatMap(({ name, resource, tokenEndpoint }) => [
      `${formatName(name)}_URL=${resource}`,
      ...(tokenEndpoint === undefined ? [] : [`${formatName(name)}_TOKEN_URL=${tokenEndpoint}`]),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

function formatName(api: string): string {
  return api
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, '_')
}
