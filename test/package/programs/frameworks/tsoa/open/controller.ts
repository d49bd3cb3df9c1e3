import { Controller, Get, Route } from 'tsoa'

@Route('orders/items')
export class Open extends Controller {
  @Get()
  list(): string[] {
    return []
  }
}
