import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { slug, type ReferenceOperation } from './operations.js'
import { readList, readText } from './resolve.js'
import { words } from '../words.js'

export interface TagGroup {
  /** Unique within the page of the reference. */
  readonly id: string
  readonly title: string
  /** The titles of the groups around it. */
  readonly above: readonly string[]
  readonly description: string | undefined
  readonly externalDocs: unknown
  readonly operations: readonly ReferenceOperation[]
  /** Operations that have the tag too, and are under their first one. */
  readonly others: readonly ReferenceOperation[]
}

interface Members {
  readonly operations: ReferenceOperation[]
  readonly others: ReferenceOperation[]
}

/** The operations by their first tag, in the document's order, then others; below `parent` or `x-tagGroups`. */
export function groupByTag(document: JsonObject, operations: readonly ReferenceOperation[]): TagGroup[] {
  const described = new Map<string | undefined, JsonObject>()
  for (const tag of readList(document['tags']).map(asObject))
    if (readText(tag['name']) !== undefined) described.set(readText(tag['name']), tag)
  const members = collectMembers(described.keys(), operations)
  const claimId = createUniqueNames(operations.map(({ key }) => key))
  const isOnly = [...members.values()].filter((each) => each.operations.length > 0).length === 1
  const seen = new Set<string | undefined>()
  const children = new Map<string | undefined, (string | undefined)[]>()
  for (const [name, tag] of described) {
    const parent = readText(tag['parent'])
    if (parent !== undefined && described.has(parent)) children.set(parent, [...(children.get(parent) ?? []), name])
  }
  const groups: TagGroup[] = []

  function addGroup(title: string, above: readonly string[], tag: JsonObject, { operations: own, others }: Members) {
    const id = claimId(`tag-${slug(title)}`)
    const description = readText(tag['description'])
    groups.push({ id, title, above, description, externalDocs: tag['externalDocs'], operations: own, others })
  }

  /** Adds a tag and those below it. A group without operations stays only as the heading of others. */
  function visit(name: string | undefined, above: readonly string[]): void {
    const own = members.get(name)
    if (!own || seen.has(name)) return
    seen.add(name)
    const tag = described.get(name) ?? asObject(undefined)
    const title =
      readText(tag['summary']) ??
      readText(tag['x-displayName']) ??
      name ??
      (isOnly ? words().operations : words().otherOperations)
    const at = groups.length
    addGroup(title, above, tag, own)
    for (const child of children.get(name) ?? []) visit(child, [...above, title])
    if (groups.length === at + 1 && own.operations.length + own.others.length === 0) groups.pop()
  }

  for (const { name, tags } of readList(document['x-tagGroups']).map(asObject)) {
    const title = readText(name)
    const at = groups.length
    if (title !== undefined) addGroup(title, [], asObject(undefined), NOBODY)
    for (const tag of readList(tags)) visit(readText(tag), title === undefined ? [] : [title])
    if (title !== undefined && groups.length === at + 1) groups.pop()
  }
  const below = new Set([...children.values()].flat())
  for (const name of members.keys()) if (!below.has(name)) visit(name, [])
  // Tags that are their own ancestors.
  for (const name of below) visit(name, [])
  const webhooks = operations.filter(({ isWebhook }) => isWebhook)
  if (webhooks.length > 0) addGroup(words().webhooks, [], asObject(undefined), { operations: webhooks, others: [] })
  return groups
}

const NOBODY: Members = { operations: [], others: [] }

function collectMembers(described: Iterable<string | undefined>, operations: readonly ReferenceOperation[]) {
  const members = new Map<string | undefined, Members>()
  const find = (name: string | undefined): Members => {
    const found = members.get(name) ?? { operations: [], others: [] }
    members.set(name, found)
    return found
  }
  for (const name of described) find(name)
  const called = operations.filter(({ isWebhook }) => !isWebhook)
  for (const operation of called) find(operation.tag).operations.push(operation)
  for (const operation of called) {
    const further = readList(operation.operation['tags']).map(readText)
    for (const name of new Set(further)) if (name !== operation.tag) find(name).others.push(operation)
  }
  return members
}
