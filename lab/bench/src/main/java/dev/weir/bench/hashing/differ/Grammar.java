package dev.weir.bench.hashing.differ;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A weighted context-free grammar of mails. A file has one rule a paragraph: a line {@code :name}, then alternatives,
 * each with a weight, a space and its text. {@code ${name}} stands for a derivation of a rule, {@code ${name*8}} for up
 * to eight, and {@code ${name|koi8-r|base64}} for one whose bytes are transformed. {@code \n}, {@code \r}, {@code \t},
 * {@code \\}, <code>&#92;u</code> and four digits are characters. Lines that start with {@code #} are comments.
 */
final class Grammar {
    /** Depth from which only the alternative with the fewest references is taken, so that each derivation ends. */
    private static final int DEEP = 40;
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{([a-z0-9-]+)(?:\\*(\\d+))?((?:\\|[^|}]+)*)}");
    private static final Pattern NAMES = Pattern.compile("\\|");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))");

    private final Map<String, List<Alternative>> rules = new HashMap<>();

    /** A symbol of an alternative: literal text, or a reference if {@code name} is not empty. */
    private record Symbol(String text, String name, int most, List<Transform> transforms) {}

    private record Alternative(int weight, List<Symbol> symbols) {
        long references() {
            return symbols.stream().filter(symbol -> !symbol.name().isEmpty()).count();
        }
    }

    /** Returns the grammar of a resource in this package. */
    static Grammar resource(String name) {
        try (InputStream in = Grammar.class.getResourceAsStream(name)) {
            byte[] text = Objects.requireNonNull(in, () -> name + " is missing from the class path").readAllBytes();
            return new Grammar(new String(text, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads a grammar.
     *
     * @throws IllegalArgumentException if a line is malformed, or a rule is missing or has no alternative
     */
    Grammar(String text) {
        List<Alternative> current = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            if (line.startsWith(":")) {
                current = new ArrayList<>();
                if (rules.put(line.substring(1), current) != null) {
                    throw new IllegalArgumentException("rule " + line + " occurs twice");
                }
            } else if (!line.isEmpty() && line.charAt(0) != '#') {
                int space = line.indexOf(' ');
                if (space < 0) {
                    throw new IllegalArgumentException("no weight: " + line);
                }
                current.add(new Alternative(Integer.parseInt(line, 0, space, 10), symbols(line.substring(space + 1))));
            }
        }
        rules.forEach(this::check);
    }

    private void check(String rule, List<Alternative> alternatives) {
        if (alternatives.isEmpty()) {
            throw new IllegalArgumentException("rule " + rule + " has no alternative");
        }
        for (Alternative alternative : alternatives) {
            for (Symbol symbol : alternative.symbols()) {
                if (!symbol.name().isEmpty() && !rules.containsKey(symbol.name())) {
                    throw new IllegalArgumentException("rule " + symbol.name() + " is missing");
                }
            }
        }
    }

    private static List<Symbol> symbols(String text) {
        List<Symbol> symbols = new ArrayList<>();
        Matcher reference = REFERENCE.matcher(text);
        int from = 0;
        while (reference.find()) {
            literal(text.substring(from, reference.start()), symbols);
            List<Transform> transforms = new ArrayList<>();
            NAMES.splitAsStream(reference.group(3)).filter(name -> !name.isEmpty()).map(Transform::of)
                    .forEach(transforms::add);
            String most = reference.group(2);
            symbols.add(new Symbol("", reference.group(1), most == null ? -1 : Integer.parseInt(most), transforms));
            from = reference.end();
        }
        literal(text.substring(from), symbols);
        return symbols;
    }

    private static void literal(String text, List<Symbol> symbols) {
        if (text.contains("${")) {
            throw new IllegalArgumentException("malformed reference: " + text);
        }
        if (!text.isEmpty()) {
            symbols.add(new Symbol(ESCAPE.matcher(text).replaceAll(Grammar::character), "", -1, List.of()));
        }
    }

    private static String character(MatchResult escape) {
        String character = escape.group(1) != null
                ? String.valueOf((char) Integer.parseInt(escape.group(1), 16))
                : switch (escape.group(2)) {
                    case "n" -> "\n";
                    case "r" -> "\r";
                    case "t" -> "\t";
                    case "\\" -> "\\";
                    default -> throw new IllegalArgumentException("unknown escape " + escape.group());
                };
        return Matcher.quoteReplacement(character);
    }

    /** Derives a tree from a rule. */
    Derivation derive(String rule, RandomGenerator random) {
        return derive(rule, List.of(), random, 0);
    }

    private Derivation derive(String rule, List<Transform> transforms, RandomGenerator random, int depth) {
        List<Derivation> children = new ArrayList<>();
        for (Symbol symbol : choose(Objects.requireNonNull(rules.get(rule)), random, depth).symbols()) {
            if (symbol.name().isEmpty()) {
                children.add(new Derivation.Leaf(symbol.text()));
                continue;
            }
            int times = symbol.most() < 0 ? 1 : depth >= DEEP ? 0 : random.nextInt(symbol.most() + 1);
            for (int i = 0; i < times; i++) {
                children.add(derive(symbol.name(), symbol.transforms(), random, depth + 1));
            }
        }
        return new Derivation.Node(rule, transforms, children);
    }

    private static Alternative choose(List<Alternative> alternatives, RandomGenerator random, int depth) {
        if (depth >= DEEP) {
            return alternatives.stream().min(Comparator.comparingLong(Alternative::references)).orElseThrow();
        }
        int at = random.nextInt(alternatives.stream().mapToInt(Alternative::weight).sum());
        for (Alternative alternative : alternatives) {
            at -= alternative.weight();
            if (at < 0) {
                return alternative;
            }
        }
        throw new AssertionError("the weights changed");
    }
}
