package io.fjordmq.api.auth;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Text with placeholders: <code>${name}</code>, or {@code %} and a letter. All placeholders are
 * replaced in one pass, so a value that contains the text of a placeholder is not replaced again.
 * Immutable.
 *
 * @since 0.1.0
 */
public final class Template {
  /** A piece of text, or a placeholder. */
  private record Part(String text, @Nullable Placeholder placeholder) {}

  private final String source;
  private final List<Part> parts;

  private Template(String source, List<Part> parts) {
    this.source = source;
    this.parts = List.copyOf(parts);
  }

  /**
   * Parses a template. {@code %} followed by another character than {@code letters} is plain text.
   *
   * @param letters the letters that {@code %} can precede, e.g. {@code cu}
   * @throws IllegalArgumentException if a placeholder is unknown
   */
  public static Template parse(String text, String letters) {
    List<Part> parts = new ArrayList<>();
    StringBuilder plain = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      Placeholder placeholder = null;
      int end = at + 1;
      if (text.startsWith("${", at)) {
        int close = text.indexOf('}', at);
        if (close < 0) {
          throw new IllegalArgumentException("'${' without '}' in '" + text + "'");
        }
        String name = text.substring(at + 2, close);
        placeholder = Placeholder.named(name);
        if (placeholder == null) {
          throw new IllegalArgumentException(
              "unknown placeholder ${"
                  + name
                  + "}; known are ${clientid}, ${username}, ${password}, ${peerhost},"
                  + " ${cert_common_name}, ${cert_subject}, ${cert_san_dns}, ${listener},"
                  + " ${tenant}, ${client_attrs.NAME}, and for authorization ${action}, ${topic},"
                  + " ${qos} and ${retain}");
        }
        end = close + 1;
      } else if (text.charAt(at) == '%'
          && at + 1 < text.length()
          && letters.indexOf(text.charAt(at + 1)) >= 0) {
        placeholder = Placeholder.lettered(text.charAt(at + 1));
        end = at + 2;
      }
      if (placeholder == null) {
        plain.append(text, at, end);
      } else {
        if (!plain.isEmpty()) {
          parts.add(new Part(plain.toString(), null));
          plain.setLength(0);
        }
        parts.add(new Part("", placeholder));
      }
      at = end;
    }
    if (!plain.isEmpty()) {
      parts.add(new Part(plain.toString(), null));
    }
    return new Template(text, parts);
  }

  /** Parses a template with the short placeholders {@code %c} and {@code %u}. */
  public static Template parse(String text) {
    return parse(text, "cu");
  }

  /** The placeholders in order of their first occurrence. */
  public Set<Placeholder> placeholders() {
    Set<Placeholder> all = new LinkedHashSet<>();
    for (Part part : parts) {
      if (part.placeholder != null) {
        all.add(part.placeholder);
      }
    }
    return all;
  }

  /**
   * Inserts the values.
   *
   * @param values returns the value of a placeholder; null if it has none
   * @return the text; null if a value is missing or the escaper refuses it
   */
  public @Nullable String render(PlaceholderValues values, Escaper escaper) {
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      if (part.placeholder == null) {
        text.append(part.text);
        continue;
      }
      String value = values.apply(part.placeholder);
      String escaped = value == null ? null : escaper.escape(value, text.toString());
      if (escaped == null) {
        return null;
      }
      text.append(escaped);
    }
    return text.toString();
  }

  /** Inserts the values; missing values become empty text. */
  public @Nullable String renderOrEmpty(PlaceholderValues values, Escaper escaper) {
    return render(
        placeholder -> {
          String value = values.apply(placeholder);
          return value == null ? "" : value;
        },
        escaper);
  }

  /** The template as written. */
  @Override
  public String toString() {
    return source;
  }
}
