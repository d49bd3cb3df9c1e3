import { followReference, type JsonObject } from './document.js'
import { connect, listObjects, parseAddress, readReference, type PlacedObject } from './references.js'

export interface LostReference {
  readonly reference: string
  readonly isElsewhere: boolean
}

/** A reference that is no pointer from the root leads to an `$anchor`, an `$id`, or the address of the document (its `$self`, or `address`). */
export function connectReferences(document: JsonObject, address: string): LostReference[] {
  const { $self: self } = document
  const root = (typeof self === 'string' ? parseAddress(self, address)?.address : undefined) ?? address
  const objects = listObjects(document, root)
  const named = nameObjects(objects).set(root, '#').set(address, '#')
  return objects.flatMap((each) => {
    const reference = readReference(each.object)
    // To JSON Schema, `#` is the nearest schema with an address.
    if (reference === undefined || (reference === '#' && each.base === root)) return []
    if (isPointerFromRoot(document, reference)) return []
    const target = parseAddress(reference, each.base)
    const resource = target && named.get(target.address)
    const pointer = target?.fragment.startsWith('/')
      ? resource + target.fragment.replaceAll('%', '%25')
      : target && named.get(target.fragment === '' ? target.address : `${target.address}#${target.fragment}`)
    if (pointer === undefined || resource === undefined || (pointer !== '#' && !isPointerFromRoot(document, pointer)))
      return [{ reference, isElsewhere: resource === undefined && !reference.startsWith('#') }]
    connect(each.object, pointer)
    // The document is served under another address than the one that it was read from.
    if (!reference.startsWith('#') && root === address && target?.address === address) each.object['$ref'] = pointer
    return []
  })
}

function isPointerFromRoot(document: JsonObject, reference: string): boolean {
  return reference.startsWith('#/') && followReference(document, reference) !== undefined
}

function nameObjects(objects: readonly PlacedObject[]): Map<string, string> {
  const named = new Map<string, string>()
  for (const { object, pointer, base } of objects) {
    const { $id: id, $anchor, $dynamicAnchor } = object
    // Before 2020-12, an `$id` could be an anchor.
    const anchors = [$anchor, $dynamicAnchor, typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined]
    if (typeof id === 'string' && !id.startsWith('#')) named.set(base, pointer)
    for (const anchor of anchors)
      if (typeof anchor === 'string' && !named.has(`${base}#${anchor}`)) named.set(`${base}#${anchor}`, pointer)
  }
  return named
}
