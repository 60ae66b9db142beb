package io.fjordmq.broker.net;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PEMEncryptedKeyPair;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.bc.BcPEMDecryptorProvider;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8DecryptorProviderBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.pkcs.PKCS8EncryptedPrivateKeyInfo;
import org.bouncycastle.pkcs.PKCSException;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;
import org.jspecify.annotations.Nullable;

/**
 * Reads private keys in the common PEM formats: PKCS#8, PKCS#1 (RSA) and SEC 1 (EC), encrypted or
 * unencrypted. Bouncy Castle parses and decrypts the files; the resulting keys are JDK keys.
 */
final class PemKey {
  private static final Set<String> ALGORITHMS = Set.of("RSA", "EC", "EdDSA");

  private PemKey() {}

  /**
   * Returns the first private key among the blocks of a file.
   *
   * @param password the password of an encrypted key; empty for none
   * @throws GeneralSecurityException if there is no readable key; the message is intended for
   *     operators
   */
  static PrivateKey of(List<PemObject> blocks, String password) throws GeneralSecurityException {
    for (PemObject block : blocks) {
      if (block.getType().endsWith("PRIVATE KEY")) {
        return key(decrypt(block.getType(), parse(block), password));
      }
    }
    throw new GeneralSecurityException("contains no PEM private key");
  }

  private static @Nullable Object parse(PemObject block) throws GeneralSecurityException {
    StringWriter text = new StringWriter();
    try (PemWriter writer = new PemWriter(text)) {
      writer.writeObject(block);
      writer.flush();
      return new PEMParser(new StringReader(text.toString())).readObject();
    } catch (IOException e) {
      throw new GeneralSecurityException(
          "contains a %s that cannot be read: %s".formatted(block.getType(), e.getMessage()), e);
    }
  }

  private static PrivateKeyInfo decrypt(String type, @Nullable Object found, String password)
      throws GeneralSecurityException {
    if (found instanceof PrivateKeyInfo plain) {
      return plain;
    }
    if (found instanceof PEMKeyPair pair) {
      return pair.getPrivateKeyInfo();
    }
    if (!(found instanceof PKCS8EncryptedPrivateKeyInfo || found instanceof PEMEncryptedKeyPair)) {
      throw new GeneralSecurityException("contains a " + type + ", which is not supported");
    }
    if (password.isEmpty()) {
      throw new GeneralSecurityException("is encrypted; set keyPassword or keyPasswordFile");
    }
    try {
      return found instanceof PEMEncryptedKeyPair pair
          ? pair.decryptKeyPair(new BcPEMDecryptorProvider(password.toCharArray()))
              .getPrivateKeyInfo()
          : ((PKCS8EncryptedPrivateKeyInfo) found)
              .decryptPrivateKeyInfo(
                  new JceOpenSSLPKCS8DecryptorProviderBuilder()
                      .setProvider(new BouncyCastleProvider())
                      .build(password.toCharArray()));
    } catch (IOException | PKCSException | OperatorCreationException e) {
      throw new GeneralSecurityException("cannot be decrypted with the configured password", e);
    }
  }

  private static PrivateKey key(PrivateKeyInfo info) throws GeneralSecurityException {
    var algorithm = info.getPrivateKeyAlgorithm();
    if (algorithm.getAlgorithm().equals(X9ObjectIdentifiers.id_ecPublicKey)
        && algorithm.getParameters() == null) {
      throw new GeneralSecurityException("contains an EC key without a named curve");
    }
    PrivateKey key;
    try {
      key = new JcaPEMKeyConverter().getPrivateKey(info);
    } catch (IOException e) {
      throw new GeneralSecurityException("contains a malformed key: " + e.getMessage(), e);
    }
    if (!ALGORITHMS.contains(key.getAlgorithm())) {
      throw new GeneralSecurityException(
          "contains an unsupported key (supported: RSA, EC, EdDSA): " + key.getAlgorithm());
    }
    return key;
  }
}
