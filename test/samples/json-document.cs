// What a sample needs of System.Text.Json, for Mono.
using System;
using System.Collections.Generic;
using System.Web.Script.Serialization;

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
