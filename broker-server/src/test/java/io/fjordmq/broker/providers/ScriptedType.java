package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ActionAnswer;
import io.fjordmq.api.auth.ActionProvider;
import io.fjordmq.api.auth.AuthenticationAnswer;
import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthorizationProvider;
import io.fjordmq.api.auth.ClientFacts;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.ProviderType;
import io.fjordmq.api.auth.RuleAnswer;
import io.fjordmq.api.auth.RuleProvider;
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
 * A kind of provider for tests, which answers as configured: {@code answer} is allow, deny, ignore,
 * error or never. {@code rules} is a list of rules such as {@code allow write a/%c}; {@code
 * rulesFile} is a file with one rule per line, which is read for each client.
 */
public final class ScriptedType implements ProviderType {
  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public List<ProviderKey> keys() {
    return List.of(
        ProviderKey.value("answer"),
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
    String answer = settings.oneOf("answer", "allow", "deny", "ignore", "error", "never");
    return executor -> new Logins(settings, answer);
  }

  @Override
  public Opening<AuthorizationProvider> authorization(ProviderSettings settings) {
    String answer = settings.oneOf("answer", "allow", "deny", "ignore", "error", "never");
    return settings.isSet("rules") || settings.isSet("rulesFile")
        ? executor -> new Rules(settings, answer)
        : executor -> new Actions(answer);
  }

  private static <T> CompletionStage<T> answer(String answer, T value) {
    return switch (answer) {
      case "error" ->
          CompletableFuture.failedFuture(new ProviderException("scripted", false, null));
      case "never" -> new CompletableFuture<>();
      default -> CompletableFuture.completedFuture(value);
    };
  }

  private record Logins(ProviderSettings settings, String answer)
      implements AuthenticationProvider {
    @Override
    public CompletionStage<AuthenticationAnswer> authenticate(ClientFacts client) {
      int seconds = settings.number("expiresIn", 0, 0, 1_000);
      Identity identity =
          new Identity(
              "",
              client.userName(),
              null,
              Map.of("site", "oslo"),
              settings.flag("superuser", false),
              seconds == 0 ? null : Instant.now().plusSeconds(seconds));
      return ScriptedType.answer(
          answer,
          switch (answer) {
            case "allow" -> AuthenticationAnswer.allow(identity);
            case "deny" -> AuthenticationAnswer.deny("scripted denial");
            default -> AuthenticationAnswer.ignore("scripted");
          });
    }

    @Override
    public String cacheKey(ClientFacts client) {
      return client.clientId() + client.userName();
    }
  }

  private record Rules(ProviderSettings settings, String answer) implements RuleProvider {
    @Override
    public CompletionStage<RuleAnswer> rules(ClientFacts client) {
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
      return ScriptedType.answer(answer, new RuleAnswer(rules, null));
    }

    @Override
    public String cacheKey(ClientFacts client) {
      return client.clientId();
    }
  }

  private record Actions(String answer) implements ActionProvider {
    @Override
    public CompletionStage<ActionAnswer> authorize(ClientFacts client, Action action) {
      Decision decision =
          switch (answer) {
            case "allow" -> Decision.ALLOW;
            case "deny" -> Decision.DENY;
            default -> Decision.PASS;
          };
      return ScriptedType.answer(answer, new ActionAnswer(decision, "scripted rule", null));
    }

    @Override
    public String cacheKey(ClientFacts client, Action action) {
      return client.clientId() + action;
    }
  }
}
