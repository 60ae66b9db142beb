package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ActionProvider;
import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.auth.AuthorizationProvider;
import io.fjordmq.api.auth.AuthorizationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.ProviderType;
import io.fjordmq.api.auth.RuleProvider;
import io.fjordmq.api.auth.RuleResult;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.api.auth.Template;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions.Access;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A kind of provider for tests: {@code result} is allow, deny, ignore, error or never. {@code
 * rules} is a list of rules such as {@code allow write a/%c}; {@code rulesFile} is a file with one
 * rule per line, which is read for each client.
 */
public final class ScriptedType implements ProviderType {
  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public List<ProviderKey> keys() {
    return List.of(
        ProviderKey.value("result"),
        ProviderKey.value("rules"),
        ProviderKey.value("rulesFile"),
        ProviderKey.value("superuser"),
        ProviderKey.value("expiresIn"),
        ProviderKey.secret("secret"),
        ProviderKey.map("headers"),
        ProviderKey.map("body"));
  }

  @Override
  public boolean authenticates() {
    return true;
  }

  @Override
  public boolean authorizes() {
    return true;
  }

  @Override
  public Opening<AuthenticationProvider> authentication(ProviderSettings settings) {
    String result = settings.oneOf("result", "allow", "deny", "ignore", "error", "never");
    return executor -> new Logins(settings, result);
  }

  @Override
  public Opening<AuthorizationProvider> authorization(ProviderSettings settings) {
    String result = settings.oneOf("result", "allow", "deny", "ignore", "error", "never");
    return settings.isSet("rules") || settings.isSet("rulesFile")
        ? executor -> new Rules(settings, result)
        : executor -> new Actions(result);
  }

  private static <T> CompletionStage<T> complete(String result, T value) {
    return switch (result) {
      case "error" ->
          CompletableFuture.failedFuture(new ProviderException("scripted", false, null));
      case "never" -> new CompletableFuture<>();
      default -> CompletableFuture.completedFuture(value);
    };
  }

  private record Logins(ProviderSettings settings, String result)
      implements AuthenticationProvider {
    @Override
    public CompletionStage<AuthenticationResult> authenticate(ClientContext client) {
      int seconds = settings.number("expiresIn", 0, 0, 1_000);
      Identity identity =
          new Identity(
              "",
              client.userName(),
              null,
              Map.of("site", "oslo"),
              settings.flag("superuser", false),
              seconds == 0 ? null : Instant.now().plusSeconds(seconds));
      return ScriptedType.complete(
          result,
          switch (result) {
            case "allow" -> AuthenticationResult.allow(identity);
            case "deny" -> AuthenticationResult.deny("scripted denial");
            default -> AuthenticationResult.ignore("scripted");
          });
    }

    @Override
    public String cacheKey(ClientContext client) {
      return client.clientId() + client.userName();
    }
  }

  private record Rules(ProviderSettings settings, String result) implements RuleProvider {
    @Override
    public CompletionStage<RuleResult> rules(ClientContext client) {
      List<String> lines = settings.list("rules");
      if (settings.isSet("rulesFile")) {
        try {
          lines = Files.readAllLines(Path.of(settings.text("rulesFile")));
        } catch (IOException e) {
          return CompletableFuture.failedFuture(new ProviderException("no file", false, e));
        }
      }
      List<RuleTemplate> rules = new ArrayList<>();
      for (String line : lines) {
        String[] words = line.split(" ", 3);
        rules.add(
            new RuleTemplate(
                words[0].equals("allow"),
                Access.valueOf(words[1].toUpperCase(Locale.ROOT)),
                Template.parse(words[2]),
                Set.of(),
                null,
                "scripted: " + line));
      }
      return ScriptedType.complete(result, new RuleResult(rules, null));
    }

    @Override
    public String cacheKey(ClientContext client) {
      return client.clientId();
    }
  }

  private record Actions(String result) implements ActionProvider {
    @Override
    public CompletionStage<AuthorizationResult> authorize(ClientContext client, Action action) {
      Decision decision =
          switch (result) {
            case "allow" -> Decision.ALLOW;
            case "deny" -> Decision.DENY;
            default -> Decision.PASS;
          };
      return ScriptedType.complete(
          result, new AuthorizationResult(decision, "scripted rule", null));
    }

    @Override
    public String cacheKey(ClientContext client, Action action) {
      return client.clientId() + action;
    }
  }
}
