package io.fjordmq.broker.net;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The blocks of a PEM file (RFC 7468); text between them is ignored.
 *
 * @param type as in {@code -----BEGIN type-----}
 * @param headers true if lines such as {@code Proc-Type: 4,ENCRYPTED} precede the content
 * @param content decoded content of the block (DER)
 */
record PemBlock(String type, boolean headers, byte[] content) {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s*(.*?)-----END \\1-----", Pattern.DOTALL);

  /**
   * @throws IllegalArgumentException if a block's content is not Base64
   */
  static List<PemBlock> in(byte[] file) {
    List<PemBlock> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(new String(file, StandardCharsets.ISO_8859_1));
    while (matcher.find()) {
      String body = matcher.group(2);
      boolean headers = body.contains(":");
      byte[] content =
          headers ? new byte[0] : Base64.getDecoder().decode(body.replaceAll("\\s", ""));
      blocks.add(new PemBlock(matcher.group(1), headers, content));
    }
    return blocks;
  }
}
