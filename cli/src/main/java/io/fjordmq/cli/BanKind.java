package io.fjordmq.cli;

import java.util.stream.Stream;
import picocli.CommandLine.TypeConversionException;

/** The property of a client that a ban compares. */
enum BanKind {
  CLIENTID("clientid"),
  USERNAME("username"),
  PEERHOST("peerhost"),
  CIDR("peerhost_net");

  private final String apiName;

  BanKind(String apiName) {
    this.apiName = apiName;
  }

  /** Parses an argument of the command line. */
  static BanKind parse(String word) {
    return Stream.of(values())
        .filter(kind -> kind.toString().equals(word) || kind.apiName.equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "must be clientid, username, peerhost or cidr, not '" + word + "'"));
  }

  /** Returns the word of the command line for a value of the API. */
  static String word(String apiName) {
    return Stream.of(values())
        .filter(kind -> kind.apiName.equals(apiName))
        .findFirst()
        .map(BanKind::toString)
        .orElse(apiName);
  }

  /** The value of the field {@code as} in the API. */
  String apiName() {
    return apiName;
  }

  @Override
  public String toString() {
    return this == CIDR ? "cidr" : apiName; // as on the command line
  }
}
