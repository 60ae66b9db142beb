package io.fjordmq.broker.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads private keys in the formats that tools write: PKCS#8, encrypted or not, PKCS#1 (RSA) and
 * SEC 1 (EC).
 */
final class PemKey {
  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

  /** DER of {@code AlgorithmIdentifier} rsaEncryption with NULL parameters (RFC 8017 A.1). */
  private static final byte[] RSA = {
    0x30,
    0x0D,
    0x06,
    0x09,
    0x2A,
    (byte) 0x86,
    0x48,
    (byte) 0x86,
    (byte) 0xF7,
    0x0D,
    0x01,
    0x01,
    0x01,
    0x05,
    0x00
  };

  /** DER of the object identifier id-ecPublicKey (RFC 5480 §2.1.1). */
  private static final byte[] EC = {
    0x06, 0x07, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x02, 0x01
  };

  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final int PARAMETERS = 0xA0;
  private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};

  private PemKey() {}

  /**
   * The first private key among the blocks of a file.
   *
   * @param password of an encrypted key; empty for none
   * @throws GeneralSecurityException if there is no readable key; the message is written for
   *     operators
   */
  static PrivateKey of(List<PemBlock> blocks, String password) throws GeneralSecurityException {
    for (PemBlock block : blocks) {
      if (!block.type().endsWith("PRIVATE KEY")) {
        continue;
      }
      if (block.headers()) {
        throw new GeneralSecurityException(
            "uses a legacy encryption; convert it with 'openssl pkcs8 -topk8'");
      }
      return switch (block.type()) {
        case "PRIVATE KEY" -> fromPkcs8(block.content());
        case "ENCRYPTED PRIVATE KEY" -> fromPkcs8(decrypted(block.content(), password));
        case "RSA PRIVATE KEY" -> fromPkcs8(wrapped(RSA, block.content()));
        case "EC PRIVATE KEY" -> fromPkcs8(wrapped(ecAlgorithm(block.content()), block.content()));
        default ->
            throw new GeneralSecurityException(
                "contains a " + block.type() + ", which is not supported");
      };
    }
    throw new GeneralSecurityException("contains no PEM private key");
  }

  private static PrivateKey fromPkcs8(byte[] der) throws GeneralSecurityException {
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (InvalidKeySpecException e) {
        continue; // another algorithm
      }
    }
    throw new GeneralSecurityException("contains a key that is not RSA, EC or EdDSA");
  }

  private static byte[] decrypted(byte[] der, String password) throws GeneralSecurityException {
    if (password.isEmpty()) {
      throw new GeneralSecurityException("is encrypted; set keyPassword or keyPasswordFile");
    }
    try {
      EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(der);
      AlgorithmParameters parameters = encrypted.getAlgParameters();
      // PBES2 is a family of algorithms. The parameters name the algorithm, as text only.
      String algorithm =
          encrypted.getAlgName().equals("PBES2") || encrypted.getAlgName().startsWith("1.2.840")
              ? parameters.toString()
              : encrypted.getAlgName();
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(
          Cipher.DECRYPT_MODE,
          SecretKeyFactory.getInstance(algorithm)
              .generateSecret(new PBEKeySpec(password.toCharArray())),
          parameters);
      return encrypted.getKeySpec(cipher).getEncoded();
    } catch (IOException | InvalidKeySpecException e) {
      throw new GeneralSecurityException("cannot be decrypted with the configured password", e);
    }
  }

  /** Wraps a key of an older format into PKCS#8: version, algorithm, the key as octets. */
  private static byte[] wrapped(byte[] algorithm, byte[] key) {
    return tagged(SEQUENCE, VERSION_0, algorithm, tagged(OCTETS, key));
  }

  /** The key itself names its curve, as its parameters (RFC 5915 §3). */
  private static byte[] ecAlgorithm(byte[] key) throws GeneralSecurityException {
    int at = contentAt(key, 0);
    while (at < key.length) {
      int content = contentAt(key, at);
      int end = content + length(key, at);
      if ((key[at] & 0xFF) == PARAMETERS && end <= key.length) {
        byte[] curve = java.util.Arrays.copyOfRange(key, content, end);
        return tagged(SEQUENCE, EC, curve);
      }
      at = end;
    }
    throw new GeneralSecurityException("contains an EC key without its curve");
  }

  private static int contentAt(byte[] der, int tag) throws GeneralSecurityException {
    require(tag + 1 < der.length);
    int first = der[tag + 1] & 0xFF;
    return tag + 2 + (first < 0x80 ? 0 : first & 0x7F);
  }

  private static int length(byte[] der, int tag) throws GeneralSecurityException {
    int first = der[tag + 1] & 0xFF;
    if (first < 0x80) {
      return first;
    }
    int bytes = first & 0x7F;
    require(bytes <= 2 && tag + 1 + bytes < der.length);
    int length = 0;
    for (int i = 0; i < bytes; i++) {
      length = length << 8 | der[tag + 2 + i] & 0xFF;
    }
    return length;
  }

  private static void require(boolean wellFormed) throws GeneralSecurityException {
    if (!wellFormed) {
      throw new GeneralSecurityException("contains a malformed key");
    }
  }

  private static byte[] tagged(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    int size = content.size();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(tag);
    if (size < 0x80) {
      all.write(size);
    } else {
      all.write(0x82);
      all.write(size >> 8);
      all.write(size);
    }
    all.writeBytes(content.toByteArray());
    return all.toByteArray();
  }
}
