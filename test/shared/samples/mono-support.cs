// What samples need of .NET and Debian's Mono does not have: an asynchronous Main, and System.Text.Json.
using System;
using System.Collections.Generic;
using System.Web.Script.Serialization;

public static class EntryPoint
{
    public static void Main() { Program.Main().GetAwaiter().GetResult(); }
}

namespace System.Text.Json
{
    public sealed class JsonDocument : IDisposable
    {
        public JsonElement RootElement { get; private set; }

        public static JsonDocument Parse(string json)
        {
            return new JsonDocument { RootElement = new JsonElement(new JavaScriptSerializer().DeserializeObject(json)) };
        }

        public void Dispose() { }
    }

    public struct JsonElement
    {
        readonly object value;

        public JsonElement(object value) { this.value = value; }

        public JsonElement GetProperty(string name) { return new JsonElement(((Dictionary<string, object>)value)[name]); }
        public string GetString() { return (string)value; }
        public int GetInt32() { return (int)value; }
    }
}
