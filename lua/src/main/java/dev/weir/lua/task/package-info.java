/**
 * Learn conditions: a function of the operator decides about each mail that is to be learned.
 *
 * <p>{@link dev.weir.lua.task.LearnScript} runs it; {@link dev.weir.lua.task.TaskView} is what it sees of the mail, plain
 * data that any reader of mail can supply.
 */
@NullMarked
package dev.weir.lua.task;

import org.jspecify.annotations.NullMarked;
