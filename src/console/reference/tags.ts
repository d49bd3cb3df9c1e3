import { asObject, type JsonObject } from '../../openapi/document.js'
import type { ReferenceOperation } from './operation-keys.js'
import { readList, readText } from './resolve.js'

/** Operations under one heading. */
export interface TagGroup {
  readonly title: string
  readonly description: string | undefined
  readonly externalDocs: unknown
  readonly operations: readonly ReferenceOperation[]
}

/** The operations by their first tag: the tags that the document describes in its order, then others, webhooks at the end. */
export function groupByTag(document: JsonObject, operations: readonly ReferenceOperation[]): TagGroup[] {
  const called = operations.filter(({ isWebhook }) => !isWebhook)
  const webhooks = operations.filter(({ isWebhook }) => isWebhook)
  const described = readList(document['tags']).map(asObject)
  const names = described.map(({ name }) => readText(name))
  const groups = new Map<string | undefined, ReferenceOperation[]>(names.map((name) => [name, []]))
  groups.delete(undefined)
  for (const operation of called) {
    const group = groups.get(operation.tag)
    if (group) group.push(operation)
    else groups.set(operation.tag, [operation])
  }
  const byTag = [...groups].filter(([, members]) => members.length > 0)
  const isOnly = byTag.length === 1
  const tagged = byTag.map(([name, members]) => {
    const tag = described.find((each) => name !== undefined && readText(each['name']) === name) ?? asObject(undefined)
    return {
      title: readText(tag['summary']) ?? readText(tag['x-displayName']) ?? name ?? (isOnly ? 'Operations' : 'Other'),
      description: readText(tag['description']),
      externalDocs: tag['externalDocs'],
      operations: members,
    }
  })
  const none = { description: undefined, externalDocs: undefined }
  return webhooks.length > 0 ? [...tagged, { ...none, title: 'Webhooks', operations: webhooks }] : tagged
}
