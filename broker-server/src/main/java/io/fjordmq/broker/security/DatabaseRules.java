package io.fjordmq.broker.security;

import io.fjordmq.api.auth.RuleTemplate;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The rules of the database that apply to a client.
 *
 * @param templates in the order of their evaluation
 * @param isCurrent whether the records from which the rules come are unchanged; cheap, and true
 *     only if they are
 */
public record DatabaseRules(List<RuleTemplate> templates, BooleanSupplier isCurrent) {

  public DatabaseRules {
    templates = List.copyOf(templates);
  }
}
