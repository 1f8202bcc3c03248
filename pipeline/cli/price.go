package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"racecard/analyses/waste"
	"racecard/datasets/plainfile"
)

// maxPriceFile bounds a file of prices, in bytes.
const maxPriceFile = 1 << 20

var errPrice = errors.New("want prices such as cpu=0.04/h,mem=0.005/GBh, or a file of them")

// parsePrices reads --price: prices, or the name of a file with a pattern for machines and prices in each line.
func parsePrices(text string) ([]waste.Price, error) {
	if text == "" {
		return nil, nil
	}
	if strings.Contains(text, "=") {
		p, err := parsePrice(text)
		return []waste.Price{p}, err
	}
	info, err := os.Stat(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errPrice, err)
	case info.Size() > maxPriceFile || !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file of prices: %w", text, errPrice)
	}
	data, err := plainfile.ReadFile(text, maxPriceFile)
	if err != nil {
		return nil, err
	}
	var prices []waste.Price
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("%s:%d: want a pattern for names of machines and prices, such as m5.* "+
				"cpu=0.04/h,mem=0.005/GBh", text, n)
		}
		p, err := parsePrice(words[1])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", text, n, err)
		}
		p.Machines = words[0]
		prices = append(prices, p)
	}
	if len(prices) == 0 {
		return nil, fmt.Errorf("%s holds no prices: %w", text, errPrice)
	}
	o := waste.DefaultOptions()
	o.Prices = prices
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return prices, nil
}

// parsePrice reads cpu=PRICE/h, mem=PRICE/GBh, or both.
func parsePrice(text string) (p waste.Price, err error) {
	seen := map[string]bool{}
	for item := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		unit := map[string]string{"cpu": "/h", "mem": "/GBh"}[name]
		amount, ok := strings.CutSuffix(value, unit)
		x, err := strconv.ParseFloat(amount, 64)
		if unit == "" || !ok || seen[name] || err != nil || !(x >= 0 && x <= 1e9) ||
			strings.ContainsAny(amount, "xXpP_") {
			return p, fmt.Errorf("%.100q: %w", item, errPrice)
		}
		seen[name] = true
		if name == "cpu" {
			p.CPU = x
		} else {
			p.Mem = x
		}
	}
	return p, nil
}

// checkPrices checks the text of --price. A file of prices is read when the command runs: the paths of a recipe begin
// in its folder.
func checkPrices(text string) error {
	if !strings.Contains(text, "=") && text != "" {
		return nil
	}
	_, err := parsePrice(text)
	return err
}
