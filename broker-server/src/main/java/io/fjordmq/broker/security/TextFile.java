package io.fjordmq.broker.security;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads small text files, which must be valid UTF-8. */
final class TextFile {
  private TextFile() {}

  /**
   * @throws IOException if the file cannot be read or is not UTF-8
   */
  static List<String> lines(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes))
          .toString()
          .lines()
          .toList();
    } catch (CharacterCodingException e) {
      throw new IOException(file + ": not valid UTF-8", e);
    }
  }
}
