/** Breaks rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.inbox.seeded;

import org.jspecify.annotations.NullMarked;
