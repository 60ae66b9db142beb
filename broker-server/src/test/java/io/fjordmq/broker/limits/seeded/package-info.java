/** Contains classes that break rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.broker.limits.seeded;

import org.jspecify.annotations.NullMarked;
