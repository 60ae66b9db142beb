package io.fjordmq.auth.jwt;

import com.nimbusds.jose.Algorithm;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jwt.JWT;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.jwt.SignedJWT;
import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.Escaper;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.Template;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.auth.rules.RulesJson;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the token of a client. A token that is signed with the wrong key, has expired or has
 * other claims is refused; what is no token is left to the next provider.
 */
final class JwtAuthentication implements AuthenticationProvider {
  private static final int MAX_CHARS = 65_535;

  private final JwtSettings settings;
  private final TokenKeys keys;

  JwtAuthentication(JwtSettings settings, TokenKeys keys) {
    this.settings = settings;
    this.keys = keys;
  }

  @Override
  public CompletionStage<AuthenticationResult> authenticate(ClientContext client) {
    try {
      return CompletableFuture.completedFuture(verify(client));
    } catch (ProviderException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private AuthenticationResult verify(ClientContext client) throws ProviderException {
    String text = tokenOf(client);
    if (text == null || text.length() > MAX_CHARS) {
      return AuthenticationResult.ignore("the client sent no token");
    }
    JWT token;
    try {
      token = JWTParser.parse(text);
    } catch (ParseException e) {
      return AuthenticationResult.ignore("the client sent no token");
    }
    if (!(token instanceof SignedJWT signed)) {
      Algorithm algorithm = token.getHeader().getAlgorithm();
      return AuthenticationResult.deny("tokens with the algorithm " + algorithm + " are refused");
    }
    List<JWSVerifier> verifiers = keys.verifiers(signed.getHeader());
    if (verifiers.isEmpty()) {
      return AuthenticationResult.deny(
          "no key matches the algorithm "
              + signed.getHeader().getAlgorithm()
              + " and the key id "
              + signed.getHeader().getKeyID());
    }
    if (verifiers.stream().noneMatch(verifier -> isSignedFor(signed, verifier))) {
      return AuthenticationResult.deny("the token has an invalid signature");
    }
    try {
      return resultOf(client, signed.getJWTClaimsSet());
    } catch (ParseException e) {
      return AuthenticationResult.deny("the claims of the token are invalid");
    } catch (IllegalArgumentException e) {
      return AuthenticationResult.deny("the token is invalid: " + e.getMessage());
    }
  }

  private @Nullable String tokenOf(ClientContext client) {
    if (settings.fromUserName()) {
      return client.userName();
    }
    byte[] password = client.password();
    return password == null ? null : new String(password, StandardCharsets.UTF_8);
  }

  private static boolean isSignedFor(SignedJWT token, JWSVerifier verifier) {
    try {
      return token.verify(verifier);
    } catch (JOSEException | IllegalStateException e) {
      return false;
    }
  }

  private AuthenticationResult resultOf(ClientContext client, JWTClaimsSet claims)
      throws ParseException {
    Instant now = Instant.now();
    Date expiry = claims.getExpirationTime();
    Date notBefore = claims.getNotBeforeTime();
    Date issued = claims.getIssueTime();
    Instant expiresAt = expiry == null ? null : expiry.toInstant().plus(settings.clockSkew());
    if (expiresAt != null && !expiresAt.isAfter(now)) {
      return AuthenticationResult.deny("the token expired at " + expiry.toInstant());
    }
    Instant latest = now.plus(settings.clockSkew());
    if (notBefore != null && notBefore.toInstant().isAfter(latest)) {
      return AuthenticationResult.deny("the token is not valid before " + notBefore.toInstant());
    }
    if (issued != null && issued.toInstant().isAfter(latest)) {
      return AuthenticationResult.deny("the token was issued in the future");
    }
    String userName = client.userName();
    if (settings.userNameClaim() != null) {
      userName = claims.getStringClaim(settings.userNameClaim());
      if (userName == null) {
        return AuthenticationResult.deny(
            "the token has no claim " + settings.userNameClaim() + " for the user name");
      }
    } else if (settings.fromUserName()) {
      userName = claims.getSubject();
    }
    String different = differentClaim(client, claims);
    if (different != null) {
      return AuthenticationResult.deny(
          "the claim " + different + " does not have the expected value");
    }
    return allow(client, claims, userName, expiresAt);
  }

  private AuthenticationResult allow(
      ClientContext client,
      JWTClaimsSet claims,
      @Nullable String userName,
      @Nullable Instant expiresAt)
      throws ParseException {
    Map<String, String> attributes = new HashMap<>();
    Map<String, Object> given = claims.getJSONObjectClaim("client_attrs");
    if (given != null) {
      given.forEach((name, value) -> attributes.put(name, String.valueOf(value)));
    }
    Object acl = claims.getClaim(settings.aclClaim());
    ClientContext known =
        ClientContext.withoutPassword(
            client.clientId(),
            userName,
            client.address(),
            client.certificate(),
            client.listener(),
            "",
            attributes);
    Permissions permissions =
        acl == null
            ? null
            : RulesJson.permissions(acl, known, "claim " + settings.aclClaim() + " of the token");
    return AuthenticationResult.allow(
        new Identity(
            "",
            userName,
            permissions,
            attributes,
            Boolean.TRUE.equals(claims.getClaim("is_superuser")),
            expiresAt));
  }

  private @Nullable String differentClaim(ClientContext client, JWTClaimsSet claims) {
    for (Map.Entry<String, Template> one : settings.claims().entrySet()) {
      String expected = one.getValue().render(client, Escaper.NONE);
      Object actual = claims.getClaim(one.getKey());
      boolean equal =
          expected != null
              && (actual instanceof Collection<?> all
                  ? all.stream().anyMatch(value -> expected.equals(String.valueOf(value)))
                  : actual != null && expected.equals(String.valueOf(actual)));
      if (!equal) {
        return one.getKey();
      }
    }
    return null;
  }

  /** A token is verified without asking anyone. */
  @Override
  public @Nullable String cacheKey(ClientContext client) {
    return null;
  }

  @Override
  public void close() {
    keys.close();
  }
}
