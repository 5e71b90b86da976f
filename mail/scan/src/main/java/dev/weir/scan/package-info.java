/**
 * The scanner's side of the fuzzy protocol: it checks whether storages know the hashes of a mail, and adds or removes
 * them.
 *
 * <p>{@link dev.weir.scan.FuzzyCheck} implements Rspamd's module {@code fuzzy_check}, with the same configuration:
 * rules, servers, scores, learning. It serves any number of threads and thousands of mails at once:
 *
 * <pre>{@code
 * try (FuzzyCheck fuzzy = FuzzyCheck.open(FuzzyCheckSettings.of(configuration, files), MailHasher.standard())) {
 *     fuzzy.learn(spam, LearnRequest.add("DENIED", 10)).join();
 *     double score = fuzzy.check(mail, ScanContext.NONE).join().score();
 * }
 * }</pre>
 *
 * <p>A program without a configuration takes {@link dev.weir.scan.rule.FuzzyCheckSettings#ofStorage}.
 * {@link dev.weir.scan.StorageClient} measures and examines one storage.
 */
@NullMarked
package dev.weir.scan;

import org.jspecify.annotations.NullMarked;
