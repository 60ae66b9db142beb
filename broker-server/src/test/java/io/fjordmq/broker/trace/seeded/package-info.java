/** Contains classes that break rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.broker.trace.seeded;

import org.jspecify.annotations.NullMarked;
