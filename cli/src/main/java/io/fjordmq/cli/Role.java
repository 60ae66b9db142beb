package io.fjordmq.cli;

import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.TypeConversionException;

/** What users and API keys may do. */
enum Role {
  VIEWER,
  OPERATOR,
  ADMINISTRATOR;

  /** Parses an argument of the command line. */
  static Role parse(String word) {
    return Stream.of(values())
        .filter(role -> role.toString().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "must be viewer, operator or administrator, not '" + word + "'"));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT); // as on the command line and in the API
  }
}
