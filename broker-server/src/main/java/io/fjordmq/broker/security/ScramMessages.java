package io.fjordmq.broker.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Parses the messages of SCRAM clients (RFC 5802 §7). */
final class ScramMessages {
  private ScramMessages() {}

  /** A message that violates RFC 5802. Its text contains nothing that the client sent. */
  static final class InvalidMessageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    InvalidMessageException(String message) {
      super(message);
    }
  }

  /**
   * The first message of a client.
   *
   * @param gs2Header the header as sent, up to and including its second comma
   * @param bare the rest of the message
   */
  record ClientFirst(String gs2Header, String bare, String userName, String nonce) {}

  /**
   * The last message of a client.
   *
   * @param gs2Header the header that the client repeats
   * @param withoutProof the message up to the comma that precedes the proof
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared by value
  record ClientFinal(String gs2Header, String nonce, byte[] proof, String withoutProof) {}

  /**
   * Parses {@code n,[a=authzid],n=user,r=nonce[,extensions]}.
   *
   * @throws InvalidMessageException if the message is invalid, or requires something that this
   *     server does not support
   */
  static ClientFirst clientFirst(byte[] data) {
    String message = text(data);
    int firstComma = message.indexOf(',');
    int secondComma = message.indexOf(',', firstComma + 1);
    require(firstComma > 0 && secondComma > 0, "the GS2 header is incomplete");
    String flag = message.substring(0, firstComma);
    require(!flag.startsWith("p="), "channel binding is not supported");
    require(flag.equals("n") || flag.equals("y"), "the GS2 header begins with an unknown flag");
    String identity = message.substring(firstComma + 1, secondComma);
    String bare = message.substring(secondComma + 1);
    String[] parts = bare.split(",", -1);
    require(
        !parts[0].startsWith("m="), "the message requires an extension, which is not supported");
    require(parts.length >= 2, "the user name or the nonce is missing");
    String userName = unescape(value(parts[0], 'n'));
    require(!userName.isEmpty(), "the user name is empty");
    require(
        identity.isEmpty() || unescape(value(identity, 'a')).equals(userName),
        "an authorization identity (authzid) other than the user name is not supported");
    return new ClientFirst(message.substring(0, secondComma + 1), bare, userName, nonce(parts[1]));
  }

  /**
   * Parses {@code c=header,r=nonce[,extensions],p=proof}.
   *
   * @throws InvalidMessageException if the message is invalid
   */
  static ClientFinal clientFinal(byte[] data) {
    String message = text(data);
    int lastComma = message.lastIndexOf(',');
    require(lastComma > 0, "the proof is missing");
    String withoutProof = message.substring(0, lastComma);
    String[] parts = withoutProof.split(",", -1);
    require(parts.length >= 2, "the channel binding or the nonce is missing");
    return new ClientFinal(
        new String(base64(value(parts[0], 'c')), StandardCharsets.UTF_8),
        nonce(parts[1]),
        base64(value(message.substring(lastComma + 1), 'p')),
        withoutProof);
  }

  private static String text(byte[] data) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
      require(text.indexOf(0) < 0, "the message contains U+0000");
      return text;
    } catch (CharacterCodingException e) {
      throw new InvalidMessageException("the message is not UTF-8");
    }
  }

  private static String value(String attribute, char name) {
    require(
        attribute.length() >= 2 && attribute.charAt(0) == name && attribute.charAt(1) == '=',
        "'" + name + "=' is missing or out of order");
    return attribute.substring(2);
  }

  /** Printable ASCII without commas. */
  private static String nonce(String attribute) {
    String nonce = value(attribute, 'r');
    require(
        !nonce.isEmpty() && nonce.chars().allMatch(c -> c > ' ' && c < 0x7F),
        "the nonce is empty or has invalid characters");
    return nonce;
  }

  /** Decodes a saslname: {@code =2C} is a comma, {@code =3D} an equals sign. */
  private static String unescape(String name) {
    StringBuilder text = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c != '=') {
        text.append(c);
        continue;
      }
      boolean isComma = name.startsWith("=2C", i);
      require(isComma || name.startsWith("=3D", i), "the user name is not escaped correctly");
      text.append(isComma ? ',' : '=');
      i += 2;
    }
    return text.toString();
  }

  private static byte[] base64(String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidMessageException("the message contains invalid Base64");
    }
  }

  private static void require(boolean valid, String fault) {
    if (!valid) {
      throw new InvalidMessageException(fault);
    }
  }
}
