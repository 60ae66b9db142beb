package io.fjordmq.auth.jwt;

import io.fjordmq.api.auth.Placeholder;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import io.fjordmq.auth.files.FileBackedValue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How tokens are verified.
 *
 * @param keys opens the keys for signatures
 * @param fromUserName whether the token is the user name; otherwise the password
 * @param claims names of claims, and the values that they must have
 * @param aclClaim the claim with access rules
 * @param userNameClaim the claim that becomes the user name; null to keep that of the CONNECT
 * @param clockSkew how far the clock of the issuer may differ
 */
record JwtSettings(
    KeyOpening keys,
    boolean fromUserName,
    Map<String, Template> claims,
    String aclClaim,
    @Nullable String userNameClaim,
    Duration clockSkew) {

  /** Opens the keys. */
  @FunctionalInterface
  interface KeyOpening {
    TokenKeys open();
  }

  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.secret("secret"),
          ProviderKey.value("secretFile"),
          ProviderKey.value("secretBase64"),
          ProviderKey.value("publicKeyFile"),
          ProviderKey.value("jwksUrl"),
          ProviderKey.value("jwksRefresh"),
          ProviderKey.value("trustFile"),
          ProviderKey.value("from"),
          ProviderKey.map("verifyClaims"),
          ProviderKey.value("aclClaim"),
          ProviderKey.value("userNameClaim"),
          ProviderKey.value("clockSkew"));

  static JwtSettings of(ProviderSettings settings) {
    Map<String, Template> claims = new LinkedHashMap<>();
    settings
        .map("verifyClaims")
        .forEach(
            (name, value) -> {
              Template template = settings.template("verifyClaims." + name, value, "cu");
              for (Placeholder one : template.placeholders()) {
                if (one.kind().ofAction() || one.kind() == Placeholder.Kind.PASSWORD) {
                  throw new IllegalArgumentException(
                      settings.path()
                          + ".verifyClaims."
                          + name
                          + ": "
                          + one
                          + " cannot be compared with a claim");
                }
              }
              claims.put(name, template);
            });
    return new JwtSettings(
        keys(settings),
        settings.oneOf("from", "password", "username").equals("username"),
        claims,
        settings.text("aclClaim", "acl"),
        settings.isSet("userNameClaim") ? settings.text("userNameClaim") : null,
        settings.duration("clockSkew", Duration.ZERO, Duration.ZERO, Duration.ofHours(1)));
  }

  private static KeyOpening keys(ProviderSettings settings) {
    boolean secret = settings.isSet("secret") || settings.isSet("secretFile");
    boolean publicKey = settings.isSet("publicKeyFile");
    boolean jwks = settings.isSet("jwksUrl");
    if ((secret ? 1 : 0) + (publicKey ? 1 : 0) + (jwks ? 1 : 0) != 1) {
      throw new IllegalArgumentException(
          settings.path() + " needs exactly one of secret, secretFile, publicKeyFile and jwksUrl");
    }
    if (jwks) {
      return JwksKeys.opening(settings);
    }
    FileBackedValue<TokenKeys> keys =
        FileBackedValue.read(
            settings,
            List.of("secretFile", "publicKeyFile"),
            () -> secret ? TokenKeys.ofSecret(settings) : TokenKeys.ofPublicKey(settings));
    return () -> header -> keys.current().verifiers(header);
  }
}
