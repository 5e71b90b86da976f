package dev.weir.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports a wrong command line in one line: the mistake, and the command that prints the help. */
final class UsageMistakes {
    /** The words of picocli about a value that Java refuses, with the names of two classes. */
    private static final Pattern CONVERSION = Pattern
            .compile(" to (?:class|interface)? ?[\\w.$]+ \\((?:[\\w$]+\\.)+[\\w$]+: (.*)\\)$", Pattern.DOTALL);

    private UsageMistakes() {}

    static String sentence(ParameterException mistake) {
        String text = mistake.getMessage() == null ? "the command line is wrong" : mistake.getMessage();
        Matcher conversion = CONVERSION.matcher(text);
        StringBuilder sentence = new StringBuilder(
                conversion.find() ? text.substring(0, conversion.start()) + ": " + conversion.group(1) : text);
        if (mistake instanceof UnmatchedArgumentException unmatched && !unmatched.getSuggestions().isEmpty()) {
            sentence.append("; did you mean ").append(String.join(" or ", unmatched.getSuggestions())).append('?');
        }
        return sentence.toString().replaceFirst("^Error: ", "").replaceAll("\\s*\\R\\s*", " ") + "; see `"
                + mistake.getCommandLine().getCommandSpec().qualifiedName() + " --help`";
    }
}
