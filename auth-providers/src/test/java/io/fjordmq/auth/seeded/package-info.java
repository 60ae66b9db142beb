/** Breaks rules of {@code ModuleRules} on purpose. */
@NullMarked
package io.fjordmq.auth.seeded;

import org.jspecify.annotations.NullMarked;
