package io.racecard;

/** As much of JSON as the plugin needs: texts out, and flat documents of the server in. */
final class Json {
  private Json() {}

  static void quote(StringBuilder to, String text) {
    to.append('"');
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        to.append('\\').append(c);
      } else if (c < 0x20 || c > 0x7e) {
        to.append(String.format("\\u%04x", (int) c));
      } else {
        to.append(c);
      }
    }
    to.append('"');
  }

  /** The number of a field, NaN where it is null, missing or none. A quote inside a text is escaped, so no text looks like a field. */
  static double number(String doc, String field) {
    String value = value(doc, field);
    try {
      return Double.parseDouble(value);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  static boolean isTrue(String doc, String field) {
    return value(doc, field).equals("true");
  }

  /** The text of a field, "" where it is missing. Escapes other than those of quotes stay as they are. */
  static String text(String doc, String field) {
    int at = doc.indexOf("\"" + field + "\":\"");
    if (at < 0) {
      return "";
    }
    StringBuilder out = new StringBuilder();
    for (int i = at + field.length() + 4; i < doc.length() && doc.charAt(i) != '"'; i++) {
      if (doc.charAt(i) == '\\' && i + 1 < doc.length()) {
        i++;
      }
      out.append(doc.charAt(i));
    }
    return out.toString();
  }

  private static String value(String doc, String field) {
    String key = "\"" + field + "\":";
    int at = doc.indexOf(key);
    if (at < 0) {
      return "";
    }
    int end = at + key.length();
    while (end < doc.length() && ",}\n".indexOf(doc.charAt(end)) < 0) {
      end++;
    }
    return doc.substring(at + key.length(), end).trim();
  }
}
