package io.fjordmq.broker.accounts;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One change that was requested through the API. Immutable; long values are truncated, and control
 * characters are replaced.
 *
 * @param time time of the response, by the wall clock of the node
 * @param caller null if the request was not authenticated, as in a login
 * @param address the address from which the request came
 * @param operation the id of the operation, as in the OpenAPI description
 * @param target the object of the operation, such as a client identifier; empty if there is none
 * @param status the HTTP status of the response
 */
public record AuditRecord(
    Instant time,
    @Nullable Caller caller,
    String address,
    String operation,
    String target,
    int status) {
  private static final int MAX_TEXT = 256;

  public AuditRecord {
    address = printable(address);
    operation = printable(operation);
    target = printable(target);
  }

  /** Whether the operation succeeded. */
  public boolean isSuccess() {
    return status < 400;
  }

  static String printable(String text) {
    String bounded = text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    return bounded.codePoints().anyMatch(AuditRecord::isUnprintable)
        ? bounded
            .codePoints()
            .map(c -> isUnprintable(c) ? '?' : c)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString()
        : bounded;
  }

  private static boolean isUnprintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> false;
    };
  }
}
