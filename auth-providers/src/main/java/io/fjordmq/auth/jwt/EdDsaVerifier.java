package io.fjordmq.auth.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.jca.JCAContext;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.util.Base64URL;
import java.util.Set;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/**
 * Verifies signatures with Ed25519 by Bouncy Castle, which the broker has. The verifier of the JWT
 * library needs another cryptographic library.
 */
final class EdDsaVerifier implements JWSVerifier {
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(JWSAlgorithm.EdDSA, JWSAlgorithm.Ed25519);
  private static final int KEY_BYTES = 32;

  private final Ed25519PublicKeyParameters key;
  private final JCAContext context = new JCAContext();

  EdDsaVerifier(Ed25519PublicKeyParameters key) {
    this.key = key;
  }

  /**
   * Uses the public key of a JWK.
   *
   * @throws JOSEException if it is no Ed25519 key
   */
  static EdDsaVerifier of(OctetKeyPair jwk) throws JOSEException {
    byte[] bytes = jwk.getX().decode();
    if (!jwk.getCurve().getName().equals("Ed25519") || bytes.length != KEY_BYTES) {
      throw new JOSEException("only Ed25519 is supported, not " + jwk.getCurve());
    }
    return new EdDsaVerifier(new Ed25519PublicKeyParameters(bytes, 0));
  }

  @Override
  public Set<JWSAlgorithm> supportedJWSAlgorithms() {
    return ALGORITHMS;
  }

  @Override
  public JCAContext getJCAContext() {
    return context;
  }

  @Override
  public boolean verify(JWSHeader header, byte[] signedInput, Base64URL signature)
      throws JOSEException {
    if (!ALGORITHMS.contains(header.getAlgorithm())) {
      throw new JOSEException("the key does not match the algorithm " + header.getAlgorithm());
    }
    Ed25519Signer signer = new Ed25519Signer();
    signer.init(false, key);
    signer.update(signedInput, 0, signedInput.length);
    return signer.verifySignature(signature.decode());
  }
}
