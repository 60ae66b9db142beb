@NullMarked
package io.fjordmq.auth.rules;

import org.jspecify.annotations.NullMarked;
