package io.fjordmq.broker.admin;

import io.fjordmq.common.MalformedBytesException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of a request to a node or of its response; see {@link NodeRowCodec}. The methods that read
 * a cell throw {@link MalformedBytesException} if it is missing or malformed.
 *
 * @param cells null for absent ones
 */
record NodeRow(List<@Nullable String> cells) {
  /** Returns the text of a cell; null if it is absent. */
  @Nullable String find(int index) {
    return index < cells.size() ? cells.get(index) : null;
  }

  String text(int index) {
    String cell = find(index);
    if (cell == null) {
      throw new MalformedBytesException("cell " + index + " of a row is missing");
    }
    return cell;
  }

  long number(int index) {
    try {
      return Long.parseLong(text(index));
    } catch (NumberFormatException e) {
      throw new MalformedBytesException("cell " + index + " of a row is not a number");
    }
  }

  boolean flag(int index) {
    return Boolean.parseBoolean(text(index));
  }

  <E extends Enum<E>> E word(int index, Class<E> type) {
    try {
      return Enum.valueOf(type, text(index));
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("unknown " + type.getSimpleName() + ": " + text(index));
    }
  }

  List<String> list(int index) {
    String text = text(index);
    return text.isEmpty() ? List.of() : List.of(text.split("\n", -1));
  }
}
